/** Something the reader can mend: its message is the whole sentence that is printed before exit code 1. */
export class Complaint extends Error {
  name = 'Complaint';
}
