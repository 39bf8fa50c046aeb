import { type EvidenceMessage, type ModerationCase } from '@thaw/contract/moderation';
import { EvidenceImage } from '@/features/moderation/components/evidence-image';
import { Chip, Name, Quiet, Section } from '@/features/moderation/components/parts';
import { copy } from '@/features/moderation/copy';
import { formatMoment, formatTimeSince } from '@/features/moderation/spans';

type Entry = ModerationCase['evidence'][number];

interface MessageProps {
  shown: ModerationCase;
  entry: Entry;
  message: EvidenceMessage;
  id?: string;
}

/** A message with all its versions, oldest first. */
const Message = ({ shown, entry, message, id }: MessageProps) => {
  const isReported = message.senderId === shown.userId;
  const name =
    entry.people.find((person) => person.id === message.senderId)?.username ?? copy.someone(message.senderId);
  // The last version is empty if the message has only images.
  const texts = message.versions.filter((text, index) => text !== '' || message.versions.length > index + 1);
  // Images of a case with reports about a minor are opened one by one, after a question.
  const isSealed = (shown.categories.minor ?? 0) > 0;
  const { at: startedAt } = entry.messages[0] ?? message;
  return (
    <li
      id={id}
      tabIndex={id === undefined ? undefined : -1}
      className="moderation-message"
      data-side={isReported ? 'reported' : 'reporter'}
      data-marked={message.isMarked}
    >
      <p className="flex flex-wrap items-center gap-x-2 text-sm text-muted-foreground">
        <span className="font-semibold text-foreground">
          <Name>{name}</Name>
        </span>
        {isReported ? <Chip tone="warning">{copy.evidence.reported}</Chip> : null}
        <time dateTime={message.at}>{formatTimeSince(message.at, startedAt)}</time>
      </p>
      {texts.map((text, index) => (
        <div
          // The versions of a message are never reordered.
          key={index}
          className="moderation-bubble"
          data-side={isReported ? 'reported' : 'reporter'}
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
        <EvidenceImage key={image.imageId} caseId={shown.id} image={image} isSealed={isSealed} />
      ))}
    </li>
  );
};

const EvidenceEntry = ({ shown, entry, index }: { shown: ModerationCase; entry: Entry; index: number }) => {
  const marked = entry.messages.filter(({ isMarked }) => isMarked);
  const buildElementId = (message: EvidenceMessage): string => `marked-${index}-${message.id}`;
  const first = entry.messages[0];
  const title = entry.reportId === null ? copy.evidence.finding : copy.evidence.report(entry.reportId);
  const source = copy.evidence.sources[entry.source];
  return (
    <article aria-label={`${title}, ${source}`} className="grid gap-4 rounded-card bg-card p-4">
      <header className="flex flex-wrap items-baseline justify-between gap-x-3">
        <h4 className="text-base font-bold">{title}</h4>
        <p className="text-sm text-muted-foreground">
          {source}
          {first ? ` · ${formatMoment(first.at)}` : ''}
        </p>
      </header>
      {marked.length > 0 ? (
        <div className="grid gap-2">
          <h5 className="text-sm font-semibold text-warning">{copy.evidence.marked}</h5>
          <ul aria-label={copy.evidence.marked} className="grid gap-3">
            {marked.map((message) => (
              <Message
                key={message.id}
                shown={shown}
                entry={entry}
                message={message}
                id={buildElementId(message)}
              />
            ))}
          </ul>
          <h5 className="mt-3 border-t border-border pt-3 text-sm font-semibold text-muted-foreground">
            {copy.evidence.rest}
          </h5>
        </div>
      ) : null}
      {entry.omitted > 0 ? <Quiet>{copy.evidence.omitted(entry.omitted)}</Quiet> : null}
      <ol aria-label={copy.evidence.rest} className="grid gap-3">
        {entry.messages.map((message) =>
          message.isMarked ? (
            <li key={message.id}>
              <a
                href={`#${buildElementId(message)}`}
                className="text-sm text-warning underline underline-offset-4"
                onClick={(event) => {
                  event.preventDefault();
                  const above = document.getElementById(buildElementId(message));
                  above?.scrollIntoView({ block: 'center' });
                  above?.focus({ preventScroll: true });
                }}
              >
                {copy.evidence.markedAbove(formatTimeSince(message.at, first?.at ?? message.at))}
              </a>
            </li>
          ) : (
            <Message key={message.id} shown={shown} entry={entry} message={message} />
          ),
        )}
      </ol>
    </article>
  );
};

/** The messages that the server copied from chats: an entry for each report, and for each automatic finding. */
export const Evidence = ({ shown }: { shown: ModerationCase }) => (
  <Section title={copy.evidence.title}>
    {shown.evidence.length === 0 ? <Quiet>{copy.evidence.none}</Quiet> : null}
    {shown.evidence.map((entry, index) => (
      <EvidenceEntry key={entry.reportId ?? `finding-${index}`} shown={shown} entry={entry} index={index} />
    ))}
  </Section>
);
