import { receiptContentSchema, type ReceiptContent } from '@thaw/contract/my-data';
import { copy } from '@/features/my-data/receipt/copy';
import { readContent } from '@/features/my-data/receipt/verify-receipt';

/** A receipt: the signed text, and the same content for readers. */
export interface ReceiptFile {
  receipt: string;
  content: ReceiptContent;
}

/** Whether the readable content is what was signed. */
export const isConsistent = ({ receipt, content }: ReceiptFile): boolean =>
  // Both were parsed by the schema, so their fields have the same order.
  JSON.stringify(readContent(receipt)) === JSON.stringify(content);

export const downloadReceipt = (file: ReceiptFile): void => {
  const text = `${JSON.stringify(file, null, 2)}\n`;
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = copy.fileName(file.content.receiptId);
  link.click();
  URL.revokeObjectURL(url);
};

/** Reads a downloaded receipt. @returns null if it is none. */
export const parseReceiptFile = (text: string): ReceiptFile | null => {
  try {
    const { receipt, content } = JSON.parse(text) as { receipt?: unknown; content?: unknown };
    if (typeof receipt !== 'string' || !readContent(receipt)) return null;
    return { receipt, content: receiptContentSchema.parse(content) };
  } catch {
    return null;
  }
};
