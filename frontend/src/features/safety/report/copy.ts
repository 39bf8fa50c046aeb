import { type ReportCategory } from '@thaw/contract/safety';

/** Texts of the dialog that reports a person. */
export const copy = {
  title: (name: string) => `Report ${name}`,
  lead: (name: string) => `Choose what happened. ${name} is not told.`,
  choose: 'What happened',
  categories: {
    minor: 'They seem to be under 18, or it is about a child',
    threat: 'Threats or violence',
    self_harm: 'They may hurt themselves',
    sexual: 'Sexual messages or pictures I did not want',
    hate: 'Insults or hate',
    privacy: 'They ask for or spread private details',
    spam: 'Advertising or fraud',
    other: 'Something else',
  } satisfies Record<ReportCategory, string>,
  words: 'Anything to add? (optional)',
  count: (length: number, maximum: number) =>
    `${length.toLocaleString('en')} of ${maximum.toLocaleString('en')} characters`,
  alsoBlock: (name: string) => `Also block ${name}`,
  note: 'The last 30 messages go to the moderators with it. They are erased when the report is closed and can no longer be appealed.',
  send: 'Send report',
  pending: 'Sending...',
  cancel: 'Cancel',
  inDanger: 'If somebody is in danger now, call your local emergency number.',
  close: 'Close',
  sent: {
    title: 'Report sent',
    description: 'Thank you. We will tell you what came of it.',
    notBlocked: (name: string) => `Thank you. ${name} could not be blocked: please try that again.`,
  },
  failed: { title: 'Report not sent', description: 'Please try again.' },
} as const;
