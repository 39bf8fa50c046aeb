/** A past partner, as the actions on them need it. */
export interface HistoryPartner {
  id: number;
  username: string;
  /** Id of the element with the name. */
  nameId: string;
  /** The chat is an occasion for a friend request: it is recent, and was not ended for safety. */
  isRecent: boolean;
  /** Id of the entry in the history. */
  historyId: number;
  /** The partner can still be reported for this chat. */
  isReportable: boolean;
  /** The profile does not exist, or is not visible to the user. */
  isUnknown: boolean;
}
