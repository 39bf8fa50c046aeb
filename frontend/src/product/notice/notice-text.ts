import { type Notice } from '@thaw/contract/safety';
import { formatTime } from '@/lib/time';
import { copy } from '@/product/notice/copy';
import { ruleTitles } from '@/product/rule-titles';

const dateFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'long' });
const dateAndTimeFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'long', timeStyle: 'short' });

const formatUntil = (until: string | null): string =>
  until === null ? copy.withoutEnd : copy.until(formatTime(dateAndTimeFormat, Date.parse(until)));

/** Returns the first paragraphs of a notice. `facts` is the reason in words, null where `copy` has a fixed text. */
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

/** Returns the title of a notice. */
export const getNoticeTitle = ({ kind }: Pick<Notice, 'kind'>): string => copy.titles[kind];

/** Returns the paragraphs of a notice: facts, rule, who decided, end of the sanction, and deadline of the appeal. */
export const listParagraphs = (notice: Notice): string[] => {
  const { kind, rule, decidedBy, until, appeal } = notice;
  // These sanctions exclude the user from Thaw until they end.
  const isExclusion = kind === 'suspension' || kind === 'ban';
  const namesDecider = isExclusion || kind === 'warning' || kind === 'care';
  // A reduced sanction has a new end.
  const isReduction = kind === 'appeal_decided' && appeal.outcome === 'reduced';
  // A notice about a report offers the appeal in its opening paragraph (`copy.secondLook`), without the deadline.
  const deadline = appeal.state === 'possible' && kind !== 'report_decided' ? appeal.until : null;
  const paragraphs = [
    ...listOpeningParagraphs(notice),
    rule && copy.rule(ruleTitles[rule]),
    namesDecider ? copy.decidedBy[decidedBy] : null,
    isExclusion || isReduction ? formatUntil(until) : null,
    deadline && copy.appealUntil(formatTime(dateFormat, Date.parse(deadline))),
  ];
  return paragraphs.filter((paragraph): paragraph is string => paragraph !== null && paragraph !== '');
};
