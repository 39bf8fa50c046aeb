/** A past partner, as the actions on them need it. */
export interface HistoryPartner {
  id: number;
  username: string;
  /** Id of the element with the name. */
  nameId: string;
  /** The chat is recent enough for a friend request. */
  isRecent: boolean;
}
