import { findContactDetails } from '@thaw/contract/contact-details';
import { copy } from '@/chat-ui/copy';
import { findRow } from '@/chat-ui/message-list/row-element';
import { CopyAddresses, RichText } from '@/chat-ui/message/rich-text';

interface Part {
  text: string;
  isContact: boolean;
}

/** Splits a text into contact details and the text between them, in order. */
const splitByContactDetails = (text: string): readonly Part[] => {
  const parts: Part[] = [];
  let previousEnd = 0;
  for (const { start, end } of findContactDetails(text)) {
    if (start > previousEnd) parts.push({ text: text.slice(previousEnd, start), isContact: false });
    parts.push({ text: text.slice(start, end), isContact: true });
    previousEnd = end;
  }
  if (previousEnd < text.length) parts.push({ text: text.slice(previousEnd), isContact: false });
  return parts;
};

export interface HiddenPartProps {
  label: string;
  onReveal: () => void;
}

/** A button in place of hidden text. A press reveals the text. */
export const HiddenPart = ({ label, onReveal }: HiddenPartProps) => (
  <button
    type="button"
    // `after` extends the hit area of the button.
    className="relative rounded-inner px-1 text-left inset-ring inset-ring-border after:absolute after:-inset-y-2.5 after:inset-x-0 hover:bg-raised"
    onClick={({ currentTarget }) => {
      // The button disappears, so the focus moves to its row.
      findRow(currentTarget)?.focus();
      onReveal();
    }}
  >
    [{label} · <span className="underline underline-offset-4">{copy.message.showHidden}</span>]
  </button>
);

export interface StrangerTextProps {
  text: string;
  /** The contact details that the user has revealed. */
  revealed: ReadonlySet<string>;
  onReveal: (contact: string) => void;
}

/** The text of a stranger's message. Each contact detail is hidden until it is pressed, and none becomes a link. */
export const StrangerText = ({ text, revealed, onReveal }: StrangerTextProps) =>
  splitByContactDetails(text).map((part, index) =>
    part.isContact && !revealed.has(part.text) ? (
      <HiddenPart key={index} label={copy.message.contactHidden} onReveal={() => onReveal(part.text)} />
    ) : (
      <RichText key={index} text={part.text} hasLinks={false} />
    ),
  );

/** A copy button for each web address among the revealed contact details. Other contact details have no button. */
export const RevealedAddresses = ({ text, revealed }: Pick<StrangerTextProps, 'text' | 'revealed'>) =>
  splitByContactDetails(text).map((part, index) =>
    part.isContact && revealed.has(part.text) ? <CopyAddresses key={index} text={part.text} /> : null,
  );
