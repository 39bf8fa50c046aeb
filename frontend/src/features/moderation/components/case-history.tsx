import { limits } from '@thaw/contract/limits';
import { type CaseHistoryEntry, type ModerationCase } from '@thaw/contract/moderation';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { addNote } from '@/features/moderation/api/calls';
import { caseKey } from '@/features/moderation/api/queries';
import { TextField } from '@/features/moderation/components/form-fields';
import { Section } from '@/features/moderation/components/parts';
import { copy } from '@/features/moderation/copy';
import { countCharacters } from '@/features/moderation/decision/case-draft';
import { toastFailure } from '@/features/moderation/failure';
import { useModeratorName } from '@/features/moderation/hooks/use-moderator-name';
import { workbench } from '@/features/moderation/stores/workbench.store';
import { formatMoment } from '@/features/moderation/spans';
import { ruleTitles } from '@/product/rule-titles';
import { Button } from '@/ui/button';

const texts = copy.history;

/** The form shows the length of a note that has more code points than this. */
const noteCounterThreshold = 0.9 * limits.moderationNoteMaxCodePoints;

interface EntryTexts {
  title: string;
  detail?: string;
  /** What the person, a reporter or a moderator wrote. Null once it is erased, absent if the entry has no text. */
  text?: string | null;
}

const describeSanction = (entry: Extract<CaseHistoryEntry, { kind: 'sanction' }>): EntryTexts => {
  const { sanction, rule, until, isAutomatic, inheritedFrom } = entry;
  const suspension = until === null ? texts.suspendedWithoutEnd : texts.suspended(formatMoment(until));
  const details: string[] = [ruleTitles[rule]];
  if (isAutomatic) details.push(texts.automatic);
  // A new account inherits a sanction of an account on the same device or with the same e-mail address.
  if (inheritedFrom !== null) details.push(texts.inherited(inheritedFrom));
  return { title: sanction === 'banned' ? texts.banned : suspension, detail: details.join(' · ') };
};

/** @param userId id of the person, the user whom the case is about */
const describeEntry = (entry: CaseHistoryEntry, userId: number): EntryTexts => {
  switch (entry.kind) {
    case 'opened':
      return { title: texts.opened };
    case 'note':
      return { title: texts.note, text: entry.text };
    case 'escalated':
      return { title: texts.escalated, text: entry.reason };
    case 'decision':
      return {
        title: texts.decision(copy.outcomes[entry.outcome]),
        ...(entry.rule ? { detail: ruleTitles[entry.rule] } : {}),
        // A dismissal needs no facts, and a `text` of null would be shown as erased.
        ...(entry.outcome === 'dismissed' ? {} : { text: entry.facts }),
      };
    case 'sanction':
      return describeSanction(entry);
    // A second moderator has confirmed a ban.
    case 'confirmed':
      return { title: texts.confirmed };
    case 'lifted':
      return { title: texts.lifted };
    // A flagged person is in care: they are matched only with other flagged users.
    case 'flagged':
      return { title: texts.careBegan(formatMoment(entry.until)) };
    case 'flag_lifted':
      return { title: texts.careEnded };
    case 'appeal':
      return {
        title: entry.state === 'open' ? texts.appealOpen : texts.appeal,
        // A reporter may appeal as well, against the decision about their report.
        detail: entry.appellantId === userId ? texts.byPerson : texts.byReporter,
        text: entry.words,
      };
    case 'appeal_decided':
      return { title: texts.appealDecided(copy.appealOutcomes[entry.outcome]), text: entry.answer };
  }
};

const Author = ({ moderatorId }: { moderatorId: number | null }) => {
  const name = useModeratorName(moderatorId);
  return <>{moderatorId === null ? texts.automatic : texts.by(name)}</>;
};

const Entry = ({ entry, userId }: { entry: CaseHistoryEntry; userId: number }) => {
  const { title, detail, text } = describeEntry(entry, userId);
  return (
    <li className="grid gap-0.5">
      <p className="font-semibold">{title}</p>
      <p className="text-sm text-muted-foreground">
        {'moderatorId' in entry ? (
          <>
            <Author moderatorId={entry.moderatorId} />,{' '}
          </>
        ) : null}
        <time dateTime={entry.at}>{formatMoment(entry.at)}</time>
        {detail ? ` · ${detail}` : null}
      </p>
      {text === null ? <p className="text-sm text-muted-foreground">{texts.erased}</p> : null}
      {text ? (
        <p className="wrap-anywhere whitespace-pre-wrap">
          <bdi>{text}</bdi>
        </p>
      ) : null}
    </li>
  );
};

const NoteForm = ({ caseId }: { caseId: number }) => {
  const queries = useQueryClient();
  const [text, setText] = useState('');
  const { mutate, isPending } = useMutation({
    mutationFn: () => addNote(caseId, { text: text.trim() }),
    onSuccess: () => {
      setText('');
      workbench.announce(copy.done.noted);
      return queries.invalidateQueries({ queryKey: caseKey(caseId) });
    },
    onError: toastFailure,
  });
  const length = countCharacters(text);
  const isValid = length > 0 && length <= limits.moderationNoteMaxCodePoints;
  return (
    <form
      className="grid gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (isValid && !isPending) mutate();
      }}
    >
      <TextField
        label={texts.addNote}
        hint={texts.noteHint}
        rows={2}
        value={text}
        onChange={({ target }) => setText(target.value)}
        {...(length > noteCounterThreshold
          ? { counter: copy.decide.counter(length, limits.moderationNoteMaxCodePoints) }
          : {})}
      />
      <Button type="submit" size="sm" variant="secondary" className="w-fit" disabled={!isValid || isPending}>
        {isPending ? texts.saving : texts.saveNote}
      </Button>
    </form>
  );
};

/** Everything that has happened in a case, oldest first, and a form for a note. */
export const CaseHistory = ({ moderationCase }: { moderationCase: ModerationCase }) => (
  <Section title={texts.title}>
    <ol aria-label={texts.title} className="moderation-timeline grid gap-3">
      {moderationCase.history.map((entry, index) => (
        // The index is a stable key, because entries are only appended.
        <Entry key={index} entry={entry} userId={moderationCase.userId} />
      ))}
    </ol>
    <NoteForm caseId={moderationCase.id} />
  </Section>
);
