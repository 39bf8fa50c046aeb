/**
 * Texts about the user's own standing: whether they may use the product, or are suspended, banned or restricted. The
 * texts of the notices themselves are in product/notice.
 */
export const copy = {
  notice: {
    understand: 'I understand',
    notMyAge: 'That was not my age',
    adult: 'I am 18 or older',
    minor: 'I am under 18',
  },
  answerFailed: { title: 'Not saved', description: 'Please try again.' },
  appeal: {
    open: 'Appeal',
    title: 'Appeal',
    wordsLabel: 'Tell us what we got wrong.',
    count: (length: number, maximum: number) =>
      `${length.toLocaleString('en')} of ${maximum.toLocaleString('en')} characters`,
    send: 'Send appeal',
    pending: 'Sending...',
    cancel: 'Cancel',
    close: 'Close',
    underReview: 'Your appeal is being looked at by another moderator.',
    failed: { title: 'Appeal not sent', description: 'Please try again.' },
  },
  list: {
    title: 'Notices',
    unseen: 'New',
    empty: 'You have no notices.',
    loading: 'Loading your notices',
    failed: 'Your notices could not be loaded.',
  },
  page: {
    titles: { suspended: 'Your account is paused', banned: 'Your account is closed' },
    loading: 'Loading the notice',
    failed: 'The notice could not be loaded.',
    logout: 'Logout',
  },
  standingLine: {
    /** A user in care is matched only with others in care. */
    care: 'You meet fewer people for now.',
    why: 'Why?',
    ageQuestion: 'You can search again once you have answered a question.',
    answer: 'Answer',
  },
} as const;
