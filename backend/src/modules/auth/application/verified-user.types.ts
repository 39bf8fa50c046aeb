/** A user whose password was checked, or just set; a session is made only while that password is the present one. */
export interface VerifiedUser {
  userId: number;
  /** Counts the changes of the password. */
  credentialsVersion: number;
}
