/** Texts of notices, which inform a user of a moderation decision about them or their report. */
export const copy = {
  /** By the kind of the notice. `care` is a restriction under which reported users are matched only with each other. */
  titles: {
    warning: 'A warning',
    care: 'You meet fewer people for now',
    suspension: 'Your account is paused',
    ban: 'Your account is closed',
    lifted: 'You are free again',
    appeal_decided: 'Your appeal',
    report_decided: 'Your report',
    age_question: 'How old are you?',
  },
  care: 'Several people reported you today. Until a moderator has looked, you meet only people in the same situation.',
  ageQuestion: 'You wrote that you are under 18, so the chat was ended. Thaw is for adults.',
  lifted: 'What limited your account no longer applies.',
  rule: (title: string) => `Rule: ${title}`,
  decidedBy: {
    moderator: 'Decided by a moderator',
    automatic: 'Decided by an automatic rule. A moderator looks at it within 72 hours.',
  },
  until: (date: string) => `Until ${date}`,
  withoutEnd: 'Without an end',
  appealUntil: (date: string) => `You can appeal until ${date}.`,
  appealDecided: {
    upheld: 'The decision stands.',
    reduced: 'The decision is milder now.',
    reversed: 'The decision was reversed.',
  },
  /** Names of the categories, for the sentences in `reportDecided`. */
  categories: {
    minor: 'somebody who seems to be under 18, or something about a child',
    threat: 'threats or violence',
    self_harm: 'somebody who may hurt themselves',
    sexual: 'sexual messages or pictures',
    hate: 'insults or hate',
    privacy: 'a question about private details, or their spread',
    spam: 'advertising or fraud',
    other: 'something else',
  },
  reportDecided: {
    action_taken: (category: string) => `You reported ${category}. We found a breach of our rules and acted.`,
    no_violation: (category: string) => `You reported ${category}. We found no breach.`,
  },
  /** Follows `reportDecided.no_violation` if the reporter can appeal. */
  secondLook: 'You can ask for a second look.',
} as const;
