import { type Notice } from '@thaw/contract/safety';
import { getNoticeTitle, listParagraphs } from '@/product/notice/notice-text';
import { aNotice } from '@/testing/safety-factories';

/** For a notice that cannot be appealed. */
const noAppeal: Notice['appeal'] = { state: 'none', until: null, outcome: null, answer: null };

it('lists facts, rule, who decided, the end of the sanction and the deadline of the appeal, in this order', () => {
  expect(getNoticeTitle(aNotice())).toBe('Your account is paused');
  expect(listParagraphs(aNotice())).toEqual([
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
    'states that a ban has no end',
    { kind: 'ban', until: null, appeal: noAppeal },
    [expect.any(String), expect.any(String), 'Decided by a moderator', 'Without an end'],
  ],
  [
    'explains the restriction `care`, under which reported users meet only each other',
    { kind: 'care', facts: null, rule: null, decidedBy: 'automatic', until: null, appeal: noAppeal },
    [
      'Several people reported you today. Until a moderator has looked, you meet only people in the same situation.',
      'Decided by an automatic rule. A moderator looks at it within 72 hours.',
    ],
  ],
  [
    'explains that a chat was ended because of a stated age under 18',
    { kind: 'age_question', facts: null, rule: null, until: null, appeal: noAppeal },
    ['You wrote that you are under 18, so the chat was ended. Thaw is for adults.'],
  ],
  [
    'states the decision about an appeal',
    {
      kind: 'appeal_decided',
      facts: null,
      rule: null,
      until: null,
      appeal: {
        state: 'decided',
        until: null,
        outcome: 'reversed',
        answer: 'You were right about the date.',
      },
    },
    ['The decision was reversed.', 'You were right about the date.'],
  ],
  [
    'shows the answer to an appeal, with the remark that the same moderator decided it',
    {
      kind: 'appeal_decided',
      facts: null,
      rule: null,
      until: null,
      appeal: {
        state: 'decided',
        until: null,
        outcome: 'upheld',
        answer: 'Nothing new. Decided by the same moderator, since there is only one.',
      },
    },
    ['The decision stands.', 'Nothing new. Decided by the same moderator, since there is only one.'],
  ],
  [
    'states the decision about a report, and offers a second look',
    {
      kind: 'report_decided',
      facts: null,
      rule: null,
      until: null,
      report: { id: 12, category: 'hate', outcome: 'no_violation' },
    },
    ['You reported insults or hate. We found no breach. You can ask for a second look.'],
  ],
  [
    'offers no second look when the notice about the report cannot be appealed',
    {
      kind: 'report_decided',
      facts: null,
      rule: null,
      until: null,
      appeal: noAppeal,
      report: { id: 12, category: 'hate', outcome: 'no_violation' },
    },
    ['You reported insults or hate. We found no breach.'],
  ],
])('%s', (_title, changes, expected) => {
  expect(listParagraphs(aNotice(changes))).toEqual(expected);
});
