/** A user whose password was just verified or set. A session is created only while that password is still current. */
export interface VerifiedUser {
  userId: number;
  /** Incremented by each password change. */
  credentialsVersion: number;
}
