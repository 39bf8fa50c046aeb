import { type ModeratedPerson, type Sanction } from '@thaw/contract/moderation';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { setHold, liftSanction } from '@/features/moderation/api/calls';
import { caseKey, casesUrl, personKey, personQuery } from '@/features/moderation/api/queries';
import { Chip, MutedText, Section } from '@/features/moderation/components/parts';
import { ReasonDialog } from '@/features/moderation/components/reason-dialog';
import { copy } from '@/features/moderation/copy';
import { useNow } from '@/features/moderation/hooks/use-now';
import { formatMoment, formatSpan } from '@/features/moderation/spans';
import { ruleTitles } from '@/product/rule-titles';
import { Button } from '@/ui/button';
import { Delayed } from '@/ui/delayed';
import { ListSkeleton } from '@/ui/list-skeleton';
import { LoadError } from '@/ui/load-error';
import { toast } from '@/ui/toast-store';

const texts = copy.person;

const Detail = ({ label, children }: { label: string; children: ReactNode }) => (
  <div className="flex justify-between gap-4">
    <dt className="text-muted-foreground">{label}</dt>
    <dd className="text-right font-semibold wrap-anywhere">{children}</dd>
  </div>
);

const roundToTenth = (value: number): number => Math.round(value * 10) / 10;

const isInForce = ({ until, liftedAt }: Sanction, now: number): boolean =>
  liftedAt === null && (until === null || Date.parse(until) > now);

const describeState = (sanction: Sanction, now: number): string => {
  if (sanction.liftedAt !== null) return texts.lifted(formatMoment(sanction.liftedAt));
  return isInForce(sanction, now) ? texts.inForce : texts.ended;
};

const describeSanction = (sanction: Sanction, now: number): string =>
  [
    sanction.until === null ? copy.noEnd : `${formatMoment(sanction.from)} – ${formatMoment(sanction.until)}`,
    describeState(sanction, now),
    ...(sanction.isAutomatic ? [texts.automatic] : []),
    // A second moderator has to confirm a ban.
    ...(sanction.kind === 'banned' && !sanction.isConfirmed ? [texts.unconfirmed] : []),
  ].join(', ');

const Sanctions = ({
  person,
  now,
  onLift,
}: {
  person: ModeratedPerson;
  now: number;
  onLift: (id: number) => void;
}) =>
  person.sanctions.length === 0 ? (
    <MutedText>{texts.noSanctions}</MutedText>
  ) : (
    <ul aria-label={texts.sanctions} className="grid gap-3">
      {person.sanctions.map((sanction) => (
        <li key={sanction.id} className="flex items-start justify-between gap-3">
          <div>
            <p className="font-semibold">
              {texts.sanction[sanction.kind]}: {ruleTitles[sanction.rule]}
            </p>
            <p className="text-sm text-muted-foreground">{describeSanction(sanction, now)}</p>
          </div>
          {isInForce(sanction, now) ? (
            <Button size="sm" variant="secondary" aria-haspopup="dialog" onClick={() => onLift(sanction.id)}>
              {texts.lift}
            </Button>
          ) : null}
        </li>
      ))}
    </ul>
  );

/** The person's standing (how moderation has restricted them), account and figures. */
const Details = ({ person, now }: { person: ModeratedPerson; now: number }) => {
  const { kind, until } = person.standing;
  const standing = copy.standings[kind];
  const account = person.isAnonymous ? texts.anonymous : texts.registered;
  const { total, decided, upheld } = person.reportsMade; // `upheld` of the `decided` reports led to action
  const otherAccountIds = person.sameDeviceIds; // accounts that were used on the same devices
  return (
    <dl className="grid gap-1.5 text-base">
      <Detail label={texts.labels.standing}>
        {until === null ? standing : texts.until(standing, formatMoment(until))}
      </Detail>
      <Detail label={texts.labels.account}>
        {texts.age(account, formatSpan(now - Date.parse(person.createdAt)))}
      </Detail>
      <Detail label={texts.labels.matches}>{person.matches}</Detail>
      <Detail label={texts.labels.reportRate}>{roundToTenth(person.reportsPer100Matches)}</Detail>
      <Detail label={texts.labels.reportsMade}>{texts.reportsMade(total, upheld, decided)}</Detail>
      <Detail label={texts.labels.otherAccounts}>
        {otherAccountIds.length === 0
          ? texts.noOtherAccount
          : otherAccountIds.map((id) => `#${id}`).join(', ')}
      </Detail>
    </dl>
  );
};

/** States whether the person's data is on legal hold. The button opens the dialog that places or lifts the hold. */
const LegalHold = ({ isHeld, onOpenDialog }: { isHeld: boolean; onOpenDialog: () => void }) => (
  <>
    {isHeld ? (
      <p>
        <Chip tone="warning">{texts.heldChip}</Chip>{' '}
        <span className="text-sm text-muted-foreground">{texts.held}</span>
      </p>
    ) : null}
    <Button size="sm" variant="secondary" className="w-fit" aria-haspopup="dialog" onClick={onOpenDialog}>
      {isHeld ? texts.unhold : texts.hold}
    </Button>
  </>
);

/** All cases about the person. The one that is open is not a link. */
const Cases = ({
  person,
  openCaseId,
  onOpenCase,
}: {
  person: ModeratedPerson;
  openCaseId: number;
  onOpenCase: (caseId: number) => void;
}) => (
  <ul aria-label={texts.cases} className="grid gap-1">
    {person.cases.map(({ id, state, outcome, openedAt }) => (
      <li key={id} className="flex flex-wrap items-center gap-x-2">
        {id === openCaseId ? (
          <span className="font-semibold">{texts.openCase(id)}</span>
        ) : (
          <Button variant="link" className="h-auto px-0" onClick={() => onOpenCase(id)}>
            {texts.openCase(id)}
          </Button>
        )}
        <span className="text-sm text-muted-foreground">
          {outcome ? copy.outcomes[outcome] : copy.states[state]}, {formatMoment(openedAt)}
        </span>
      </li>
    ))}
  </ul>
);

interface PersonProps {
  userId: number;
  /** The open case. */
  caseId: number;
  onOpenCase: (caseId: number) => void;
}

/**
 * What is known about the person whom a case is about, with buttons to lift a sanction, and to place or lift a legal
 * hold, under which none of their data is erased.
 */
export const Person = ({ userId, caseId, onOpenCase }: PersonProps) => {
  const queries = useQueryClient();
  const { data: person, isError, refetch } = useQuery(personQuery(userId));
  const now = useNow();
  const [dialog, setDialog] = useState<{ kind: 'hold' } | { kind: 'lift'; sanctionId: number } | null>(null);

  const finishAction = (toastTitle: string): void => {
    setDialog(null);
    toast({ title: toastTitle });
    void queries.invalidateQueries({ queryKey: personKey(userId) });
    void queries.invalidateQueries({ queryKey: caseKey(caseId) });
    void queries.invalidateQueries({ queryKey: [casesUrl] });
  };

  if (!person)
    return (
      <Section title={texts.title}>
        {isError ? (
          <LoadError text={texts.failed} onRetry={() => void refetch()} />
        ) : (
          <Delayed>
            <ListSkeleton label={copy.loading} />
          </Delayed>
        )}
      </Section>
    );
  const { isHeld } = person;
  const hasOtherCases = person.cases.length > 1; // the open case is one of them
  return (
    <>
      <Section title={texts.title}>
        <Details person={person} now={now} />
        <LegalHold isHeld={isHeld} onOpenDialog={() => setDialog({ kind: 'hold' })} />
      </Section>
      <Section title={texts.sanctions}>
        <Sanctions
          person={person}
          now={now}
          onLift={(sanctionId) => setDialog({ kind: 'lift', sanctionId })}
        />
      </Section>
      {hasOtherCases ? (
        <Section title={texts.cases}>
          <Cases person={person} openCaseId={caseId} onOpenCase={onOpenCase} />
        </Section>
      ) : null}
      {dialog?.kind === 'hold' ? (
        <ReasonDialog
          texts={isHeld ? copy.dialogs.unhold : copy.dialogs.hold}
          send={(reason) => setHold(userId, { isHeld: !isHeld, reason })}
          onDone={() => finishAction(isHeld ? copy.done.unheld : copy.done.held)}
          onDismiss={() => setDialog(null)}
        />
      ) : null}
      {dialog?.kind === 'lift' ? (
        <ReasonDialog
          texts={copy.dialogs.lift}
          send={(reason) => liftSanction(dialog.sanctionId, { reason })}
          onDone={() => finishAction(copy.done.lifted)}
          onDismiss={() => setDialog(null)}
        />
      ) : null}
    </>
  );
};
