import { receiptContentSchema, type ReceiptContent } from '@thaw/contract/my-data';
import { copy } from '@/features/my-data/receipt/copy';
import { readContent } from '@/features/my-data/receipt/verify-receipt';

/** The receipt of a deleted account, as it is downloaded. */
export interface ReceiptFile {
  /** The signed text: a JWS in compact serialisation (RFC 7515). */
  receipt: string;
  /** A copy of the signed content as plain JSON, for people to read. */
  content: ReceiptContent;
}

/** Whether the readable copy equals the signed content. */
export const matchesSignedContent = ({ receipt, content }: ReceiptFile): boolean =>
  // The same schema has parsed both, and its results have their fields in the order of the schema.
  JSON.stringify(readContent(receipt)) === JSON.stringify(content);

/** Lets the browser download a receipt as a JSON file. */
export const downloadReceipt = (file: ReceiptFile): void => {
  const text = `${JSON.stringify(file, null, 2)}\n`;
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = copy.fileName(file.content.receiptId);
  link.click();
  // The click has resolved the URL, so the download no longer needs it.
  URL.revokeObjectURL(url);
};

/**
 * Parses the text of a downloaded receipt. Checks neither the signature nor `matchesSignedContent`.
 * @returns null if the text is not a receipt
 */
export const parseReceiptFile = (text: string): ReceiptFile | null => {
  try {
    const { receipt, content } = JSON.parse(text) as { receipt?: unknown; content?: unknown };
    if (typeof receipt !== 'string' || !readContent(receipt)) return null;
    return { receipt, content: receiptContentSchema.parse(content) };
  } catch {
    return null;
  }
};
