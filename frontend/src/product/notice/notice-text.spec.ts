import { type AppealOutcome, type Notice } from '@thaw/contract/safety';
import { getNoticeTitle, listParagraphs } from '@/product/notice/notice-text';
import { aNotice } from '@/testing/safety-factories';

/** For a notice that cannot be appealed. */
const noAppeal: Notice['appeal'] = { state: 'none', until: null, outcome: null, answer: null };

/** For a notice without a sanction. By default, `aNotice` has a suspension. */
const noSanction: Partial<Notice> = { facts: null, rule: null, until: null };

/** To the user who has filed an appeal. `answer` is the moderator's text. */
const anAppealDecision = (outcome: AppealOutcome, answer: string): Partial<Notice> => ({
  ...noSanction,
  kind: 'appeal_decided',
  appeal: { state: 'decided', until: null, outcome, answer },
});

/** To the reporter, whose report was dismissed. They can appeal, as the user of any `aNotice` by default. */
const aDismissal: Partial<Notice> = {
  ...noSanction,
  kind: 'report_decided',
  report: { id: 12, category: 'hate', outcome: 'no_violation' },
};

describe('a notice', () => {
  it('of a suspension has a title that says that the account is paused', () => {
    expect(getNoticeTitle(aNotice())).toBe('Your account is paused');
  });

  it('of a suspension lists facts, rule, who decided, its end and the deadline of the appeal, in this order', () => {
    const notice = aNotice({
      until: '2026-11-27T21:10:00.000Z',
      appeal: { ...noAppeal, state: 'possible', until: '2027-05-22T21:10:00.000Z' },
    });
    expect(listParagraphs(notice)).toEqual([
      'You went on with sexual messages after your partner had asked you to stop.',
      'Rule: Nothing sexual that the other does not want.',
      'Decided by a moderator',
      // The hour is not compared, because it depends on the time zone.
      expect.stringMatching(/^Until .*2026.*:10/),
      expect.stringMatching(/^You can appeal until .*2027\.$/),
    ]);
  });

  it.each<[title: string, notice: Partial<Notice>, expected: string[]]>([
    [
      'of a ban states that it has no end',
      { kind: 'ban', until: null, appeal: noAppeal },
      [
        expect.any(String), // the facts
        expect.any(String), // the rule
        'Decided by a moderator',
        'Without an end',
      ],
    ],
    [
      'of the restriction `care` explains that reported users meet only each other',
      { ...noSanction, kind: 'care', decidedBy: 'automatic', appeal: noAppeal },
      [
        'Several people reported you today. Until a moderator has looked, you meet only people in the same situation.',
        'Decided by an automatic rule. A moderator looks at it within 72 hours.',
      ],
    ],
    [
      'of an age question explains that the chat was ended because of a stated age under 18',
      { ...noSanction, kind: 'age_question', appeal: noAppeal },
      ['You wrote that you are under 18, so the chat was ended. Thaw is for adults.'],
    ],
    [
      'of a successful appeal states that the decision was reversed, and shows the answer',
      anAppealDecision('reversed', 'You were right about the date.'),
      ['The decision was reversed.', 'You were right about the date.'],
    ],
    [
      'of an unsuccessful appeal states that the decision stands, and shows the whole answer',
      // The server adds the second sentence.
      anAppealDecision('upheld', 'Nothing new. Decided by the same moderator, since there is only one.'),
      ['The decision stands.', 'Nothing new. Decided by the same moderator, since there is only one.'],
    ],
    [
      'of a dismissed report states the decision, and offers a second look',
      aDismissal,
      ['You reported insults or hate. We found no breach. You can ask for a second look.'],
    ],
    [
      'of a dismissed report offers no second look when it cannot be appealed',
      { ...aDismissal, appeal: noAppeal },
      ['You reported insults or hate. We found no breach.'],
    ],
  ])('%s', (_title, changes, expected) => {
    expect(listParagraphs(aNotice(changes))).toEqual(expected);
  });
});
