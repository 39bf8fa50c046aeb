import { type EvidenceMessage, type ModerationCase } from '@thaw/contract/moderation';
import { EvidenceImage } from '@/features/moderation/components/evidence-image';
import { Chip, MutedText, IsolatedName, Section } from '@/features/moderation/components/parts';
import { copy } from '@/features/moderation/copy';
import { formatMoment, formatMessageTime } from '@/features/moderation/spans';

type Entry = ModerationCase['evidence'][number];

/**
 * Formats the time of a message. Includes the date if it differs from the one in the heading of the entry, which is the
 * date of the first message.
 */
const formatTimeInEntry = ({ messages }: Entry, { at }: EvidenceMessage): string =>
  formatMessageTime(at, messages[0]?.at ?? at);

interface MessageProps {
  moderationCase: ModerationCase;
  entry: Entry;
  message: EvidenceMessage;
  /** Set if the message is the target of a link. */
  id?: string;
}

/** A message with all its versions, oldest first. */
const Message = ({ moderationCase, entry, message, id }: MessageProps) => {
  const isOfReportedUser = message.senderId === moderationCase.userId;
  const name =
    entry.people.find((person) => person.id === message.senderId)?.username ?? copy.someone(message.senderId);
  // If the last version is empty, the message has only images: an empty bubble is left out. Earlier empty versions are
  // kept: the versions are numbered by their position.
  const isLastVersionEmpty = message.versions.at(-1) === '';
  const texts = isLastVersionEmpty ? message.versions.slice(0, -1) : message.versions;
  // In a case about a minor, the moderator has to confirm before each image is loaded.
  const isSealed = (moderationCase.categories.minor ?? 0) > 0;
  const side = isOfReportedUser ? 'reported' : 'other';
  return (
    <li
      id={id}
      tabIndex={id === undefined ? undefined : -1}
      className="moderation-message"
      data-side={side}
      data-marked={message.isMarked}
    >
      <p className="flex flex-wrap items-center gap-x-2 text-sm text-muted-foreground">
        <span className="font-semibold text-foreground">
          <IsolatedName>{name}</IsolatedName>
        </span>
        {isOfReportedUser ? <Chip tone="warning">{copy.evidence.reported}</Chip> : null}
        <time dateTime={message.at}>{formatTimeInEntry(entry, message)}</time>
      </p>
      {texts.map((text, index) => (
        <div
          // The versions of a message are never reordered.
          key={index}
          className="moderation-bubble"
          data-side={side}
        >
          {texts.length > 1 ? (
            <span className="block text-xs font-semibold text-muted-foreground">
              {copy.evidence.version(index + 1, texts.length)}
            </span>
          ) : null}
          <bdi>{text}</bdi>
        </div>
      ))}
      {message.images.map((image) => (
        <EvidenceImage key={image.imageId} caseId={moderationCase.id} image={image} isSealed={isSealed} />
      ))}
    </li>
  );
};

/**
 * Takes the place of a marked message in the list of all messages, and links to the message above the list.
 * @param targetId  DOM id of the message
 */
const MarkedMessageLink = ({ targetId, time }: { targetId: string; time: string }) => (
  <a
    href={`#${targetId}`}
    className="text-sm text-warning underline underline-offset-4"
    onClick={(event) => {
      // Following the link would add an entry to the browser history.
      event.preventDefault();
      const markedMessage = document.getElementById(targetId);
      markedMessage?.scrollIntoView({ block: 'center' });
      markedMessage?.focus({ preventScroll: true });
    }}
  >
    {copy.evidence.markedAbove(time)}
  </a>
);

/**
 * One copied chat: first the messages that are marked as reasons of the report or finding, then the chat in order, in
 * which links stand for the marked messages.
 */
const EvidenceEntry = ({
  moderationCase,
  entry,
  index,
}: {
  moderationCase: ModerationCase;
  entry: Entry;
  index: number;
}) => {
  const markedMessages = entry.messages.filter(({ isMarked }) => isMarked);
  const buildMarkedId = (message: EvidenceMessage): string => `marked-${index}-${message.id}`;
  const firstMessage = entry.messages[0];
  const title = entry.reportId === null ? copy.evidence.finding : copy.evidence.report(entry.reportId);
  const source = copy.evidence.sources[entry.source];
  return (
    <article aria-label={`${title}, ${source}`} className="grid gap-4 rounded-card bg-card p-4">
      <header className="flex flex-wrap items-baseline justify-between gap-x-3">
        <h4 className="text-base font-bold">{title}</h4>
        <p className="text-sm text-muted-foreground">
          {source}
          {firstMessage ? ` · ${formatMoment(firstMessage.at)}` : ''}
        </p>
      </header>
      {markedMessages.length > 0 ? (
        <div className="grid gap-2">
          <h5 className="text-sm font-semibold text-warning">{copy.evidence.marked}</h5>
          <ul aria-label={copy.evidence.marked} className="grid gap-3">
            {markedMessages.map((message) => (
              <Message
                key={message.id}
                moderationCase={moderationCase}
                entry={entry}
                message={message}
                id={buildMarkedId(message)}
              />
            ))}
          </ul>
          <h5 className="mt-3 border-t border-border pt-3 text-sm font-semibold text-muted-foreground">
            {copy.evidence.inOrder}
          </h5>
        </div>
      ) : null}
      {entry.omitted > 0 ? <MutedText>{copy.evidence.omitted(entry.omitted)}</MutedText> : null}
      <ol aria-label={copy.evidence.inOrder} className="grid gap-3">
        {entry.messages.map((message) =>
          message.isMarked ? (
            <li key={message.id}>
              <MarkedMessageLink targetId={buildMarkedId(message)} time={formatTimeInEntry(entry, message)} />
            </li>
          ) : (
            <Message key={message.id} moderationCase={moderationCase} entry={entry} message={message} />
          ),
        )}
      </ol>
    </article>
  );
};

/** The messages that the server copied from chats, with one entry for each report and each automatic finding. */
export const Evidence = ({ moderationCase }: { moderationCase: ModerationCase }) => (
  <Section title={copy.evidence.title}>
    {moderationCase.evidence.length === 0 ? <MutedText>{copy.evidence.none}</MutedText> : null}
    {moderationCase.evidence.map((entry, index) => (
      <EvidenceEntry
        key={entry.reportId ?? `finding-${index}`}
        moderationCase={moderationCase}
        entry={entry}
        index={index}
      />
    ))}
  </Section>
);
