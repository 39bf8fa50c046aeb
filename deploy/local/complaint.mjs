/** An error the developer can fix. The launcher prints its message, a complete sentence, and exits with code 1. */
export class Complaint extends Error {
  name = 'Complaint';
}
