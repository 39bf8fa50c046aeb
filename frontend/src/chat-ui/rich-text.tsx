import { useState } from 'react';
import { copy } from '@/chat-ui/copy';
import { partsOf } from '@/chat-ui/links';

const Address = ({ text, url }: { text: string; url: URL }) => {
  const [isCopied, setCopied] = useState(false);
  const take = async (): Promise<void> => {
    // A page over plain http has no clipboard.
    await (navigator.clipboard as Clipboard | undefined)?.writeText(url.href);
    setCopied(true);
  };
  return (
    <>
      <span dir="ltr" title={url.host} className="underline decoration-dotted underline-offset-4">
        {text}
      </span>{' '}
      <button
        type="button"
        className="relative rounded-inner px-1 text-xs font-semibold inset-ring inset-ring-current after:absolute after:-inset-2"
        onClick={() => void take()}
      >
        {isCopied ? copy.link.copied : copy.link.copy}
        <span className="sr-only"> {copy.link.address}</span>
      </button>
    </>
  );
};

/**
 * The text of a message with its web addresses: a friend's open, a stranger's are text to copy, so that a slip of
 * the finger leads nowhere.
 */
export const RichText = ({ text, opensLinks }: { text: string; opensLinks: boolean }) =>
  partsOf(text).map((part, index) =>
    part.url === undefined ? (
      part.text
    ) : opensLinks ? (
      <a
        key={index}
        href={part.url.href}
        title={part.url.host}
        target="_blank"
        rel="noopener noreferrer nofollow"
        dir="ltr"
        className="underline underline-offset-4"
      >
        {part.text}
      </a>
    ) : (
      <Address key={index} text={part.text} url={part.url} />
    ),
  );
