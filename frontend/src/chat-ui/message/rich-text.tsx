import { useState } from 'react';
import { copy } from '@/chat-ui/copy';
import { splitByAddresses } from '@/chat-ui/message/links';

/**
 * The text of a message with its web addresses. A friend's addresses are links; a stranger's are only marked, so that
 * an accidental tap does not open them.
 */
export const RichText = ({ text, hasLinks }: { text: string; hasLinks: boolean }) =>
  splitByAddresses(text).map(({ text: part, url }, index) =>
    url === undefined ? (
      part
    ) : hasLinks ? (
      <a
        key={index}
        href={url.href}
        title={url.host}
        target="_blank"
        rel="noopener noreferrer nofollow"
        dir="ltr"
        className="underline underline-offset-4"
      >
        {part}
      </a>
    ) : (
      <span key={index} title={url.host} dir="ltr" className="underline decoration-dotted underline-offset-4">
        {part}
      </span>
    ),
  );

const CopyAddress = ({ url }: { url: URL }) => {
  const [isCopied, setCopied] = useState(false);
  const copyAddress = async (): Promise<void> => {
    // A page on plain http has no clipboard, and the browser may deny access to it. The button then stays as it is.
    const copying = (navigator.clipboard as Clipboard | undefined)?.writeText(url.href);
    const wasCopied = await copying?.then(
      () => true,
      () => false,
    );
    if (wasCopied) setCopied(true);
  };
  return (
    <button
      type="button"
      className="relative mt-1.5 mr-1.5 inline-flex max-w-full items-center gap-1 rounded-inner px-2 py-1 text-xs font-semibold inset-ring inset-ring-current after:absolute after:-inset-1.5"
      onClick={() => void copyAddress()}
    >
      <span>{isCopied ? copy.link.copied : copy.link.copy}</span>
      <bdi className="truncate font-normal">{url.host}</bdi>
    </button>
  );
};

/** Below a stranger's message: a button for each address that copies it and shows the host it leads to. */
export const CopyAddresses = ({ text }: { text: string }) =>
  splitByAddresses(text).map(({ url }, index) => (url ? <CopyAddress key={index} url={url} /> : null));
