/** A past partner, with the data that the actions of a history row need. */
export interface HistoryPartner {
  id: number;
  username: string;
  /** Id of the HTML element that shows the name. */
  nameId: string;
  /** This chat allows the user to send a friend request: it is recent, and neither user stated an age under 18. */
  allowsFriendRequest: boolean;
  /** Id of the entry in the history. */
  historyId: number;
  /** The partner can still be reported for this chat. */
  isReportable: boolean;
  /** The profile does not exist, or is not visible to the user. `username` is then a placeholder. */
  isUnknown: boolean;
}
