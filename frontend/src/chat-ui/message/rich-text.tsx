import { useState } from 'react';
import { copy } from '@/chat-ui/copy';
import { splitByAddresses } from '@/chat-ui/message/links';
import { copyToClipboard } from '@/lib/copy-to-clipboard';

interface AddressProps {
  text: string;
  url: URL;
}

const LinkedAddress = ({ text, url }: AddressProps) => (
  <a
    href={url.href}
    title={url.host}
    target="_blank"
    rel="noopener noreferrer nofollow"
    dir="ltr"
    className="underline underline-offset-4"
  >
    {text}
  </a>
);

/** Not a link, so that an accidental tap does not open the address. */
const MarkedAddress = ({ text, url }: AddressProps) => (
  <span title={url.host} dir="ltr" className="underline decoration-dotted underline-offset-4">
    {text}
  </span>
);

/** The text of a message. Its web addresses are links in a chat of friends (`hasLinks`), and otherwise only marked. */
export const RichText = ({ text, hasLinks }: { text: string; hasLinks: boolean }) =>
  splitByAddresses(text).map((part, index) => {
    if (part.url === undefined) return part.text;
    return hasLinks ? (
      <LinkedAddress key={index} text={part.text} url={part.url} />
    ) : (
      <MarkedAddress key={index} text={part.text} url={part.url} />
    );
  });

const CopyAddress = ({ url }: { url: URL }) => {
  const [isCopied, setCopied] = useState(false);
  const copyAddress = async (): Promise<void> => {
    if (await copyToClipboard(url.href)) setCopied(true);
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

/** Below a stranger's message: for each address, a button that copies the address and shows its host. */
export const CopyAddresses = ({ text }: { text: string }) =>
  splitByAddresses(text).map(({ url }, index) => (url ? <CopyAddress key={index} url={url} /> : null));
