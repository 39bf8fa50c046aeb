/** Texts of the landing page. Those of the product specification are quoted in testing/specification.spec.ts. */
export const copy = {
  actions: {
    login: 'Login',
    register: 'Register',
    join: 'Join Anonymously',
    starting: 'Starting...',
    resume: (name: string) => `Continue as ${name}`,
  },
  connectionError: {
    title: 'Connection Error',
    description: 'Could not start anonymous session. Please try again.',
  },
  adults: 'By continuing you confirm that you are 18 or older.',
  theme: { legend: 'Theme', labels: { dark: 'Dark', light: 'Light', system: 'System' } },
  hero: {
    title: 'Somebody else is awake, too.',
    lead: 'Thaw puts you one to one with a stranger. No feed, no followers, no audience: two people and a conversation. Stay while it is good. Move on when it is not.',
    demo: 'A conversation on Thaw',
  },
  way: {
    title: 'From nobody to somebody',
    steps: [
      {
        title: 'You press one button.',
        text: 'No name, no photo, no profile to polish. You get a handle like quiet-otter-42 and that is all anyone sees.',
      },
      {
        title: 'Somebody else just did the same.',
        text: 'One person, chosen by chance, or by whom you would like to meet. Never a room full of people.',
      },
      {
        title: 'You talk.',
        text: 'It survives a reload, a tunnel and a dead battery. When one of you has had enough, one press ends it.',
      },
      {
        title: 'Some you keep.',
        text: 'When it was good, ask to be friends. Friends get a chat that stays.',
      },
    ],
  },
  ice: {
    title: 'When neither of you knows what to say',
    lead: 'Break the Ice asks you both one question. You answer without seeing the other, and the answers are shown together.',
    points: ['85 questions', 'Five answers each', 'Nobody peeks'],
    question: 'After a day that went wrong, what would do you the most good?',
    mine: 'Someone who just listens',
    theirs: 'Someone who just listens',
    myLabel: 'You',
    theirLabel: 'Stranger',
    result: 'The ice is broken!',
  },
  closing: {
    title: 'Ready to make Friends?',
    lead: 'It starts with a stranger. It takes a few seconds.',
  },
  footer: 'Thaw. Be kind; there is a person on the other side.',
} as const;
