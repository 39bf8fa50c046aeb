import { type Notice } from '@thaw/contract/safety';
import { formatTime } from '@/lib/time';
import { copy } from '@/product/notice/copy';
import { ruleTitles } from '@/product/rule-titles';

const dateFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'long' });
const dateAndTimeFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'long', timeStyle: 'short' });

const formatUntil = (until: string | null): string =>
  until === null ? copy.withoutEnd : copy.until(formatTime(dateAndTimeFormat, Date.parse(until)));

/** Returns the first paragraphs of a notice. Some kinds have a fixed text, used when there are no facts. */
const listOpeningParagraphs = ({ kind, facts, appeal, report }: Notice): (string | null)[] => {
  switch (kind) {
    // A restriction under which reported users are matched only with each other.
    case 'care':
      return [facts ?? copy.care];
    case 'age_question':
      return [facts ?? copy.ageQuestion];
    case 'lifted':
      return [facts ?? copy.lifted];
    case 'appeal_decided':
      return [appeal.outcome && copy.appealDecided[appeal.outcome], appeal.answer ?? facts];
    case 'report_decided': {
      if (report === null) return [];
      const decision = copy.reportDecided[report.outcome](copy.categories[report.category]);
      const canAppeal = appeal.state === 'possible' && report.outcome === 'no_violation';
      return [canAppeal ? `${decision} ${copy.secondLook}` : decision];
    }
    case 'warning':
    case 'suspension':
    case 'ban':
      return [facts];
  }
};

/** Whether the notice is about a sanction that excludes the user from Thaw. */
const isExclusion = ({ kind }: Notice): boolean => kind === 'suspension' || kind === 'ban';

/** Returns the title of a notice. */
export const chooseTitle = ({ kind }: Pick<Notice, 'kind'>): string => copy.titles[kind];

/** Returns the paragraphs of a notice: facts, rule, who decided, end of the sanction, and deadline of the appeal. */
export const listParagraphs = (notice: Notice): string[] => {
  const { kind, rule, decidedBy, until, appeal } = notice;
  const namesDecider = kind === 'warning' || kind === 'care' || isExclusion(notice);
  const paragraphs = [
    ...listOpeningParagraphs(notice),
    rule && copy.rule(ruleTitles[rule]),
    namesDecider ? copy.decidedBy[decidedBy] : null,
    // An appeal that reduced a sanction has changed its end.
    isExclusion(notice) || (kind === 'appeal_decided' && appeal.outcome === 'reduced')
      ? formatUntil(until)
      : null,
    // The notice about a report offers the appeal in its opening paragraph instead (`copy.secondLook`).
    appeal.state === 'possible' && appeal.until !== null && kind !== 'report_decided'
      ? copy.appealUntil(formatTime(dateFormat, Date.parse(appeal.until)))
      : null,
  ];
  return paragraphs.filter((paragraph) => paragraph !== null && paragraph !== '') as string[];
};
