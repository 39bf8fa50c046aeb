/** Texts of the landing page. testing/specification.spec.ts checks those that the product specification quotes. */
export const copy = {
  title: 'Talk with a stranger, one to one',
  actions: {
    login: 'Login',
    register: 'Register',
    join: 'Join Anonymously',
    starting: 'Starting...',
    resume: 'Back to the chat',
  },
  reminder: {
    label: 'Your chat',
    /** Shown below the name of the partner if there are no new messages. */
    waiting: 'is waiting in your chat.',
    unread: (count: number) => (count === 1 ? '1 new message for you' : `${count} new messages for you`),
    back: 'Open the chat',
  },
  connectionError: {
    title: 'Connection Error',
    description: 'Could not start anonymous session. Please try again.',
  },
  theme: { legend: 'Theme', labels: { dark: 'Dark', light: 'Light', system: 'System' } },
  hero: {
    title: 'Somebody else is awake, too.',
    lead: 'Thaw puts you one to one with a stranger. No feed, no followers, no audience: two people and a conversation. Stay while it is good. Move on when it is not.',
  },
  carousel: {
    pause: (contentName: string) => `Pause ${contentName}`,
    play: (contentName: string) => `Play ${contentName}`,
  },
  demo: {
    label: 'Conversations on Thaw',
    contentName: 'the conversations',
    slide: (mood: string, position: number, count: number) => `${mood}, ${position} of ${count}`,
  },
  features: {
    title: 'Six reasons it does not stay awkward',
    label: 'What Thaw can do',
    contentName: 'the features',
    slide: (position: number, count: number) => `${position} of ${count}`,
    list: {
      matching: {
        title: 'Instant matching',
        text: 'You press one button. Somebody else just pressed it, too. Choose whom you would like to meet, or leave it to chance.',
      },
      game: {
        title: 'An ice-breaker game',
        text: 'Out of words? Both of you answer the same question, and the answers are shown together. Nobody has to go first.',
      },
      friends: {
        title: 'Friends who stay',
        text: 'When it was good, ask to be friends. Friends get a chat of their own, and you see when they are around.',
      },
      world: {
        title: 'A global community',
        text: 'It is always late somewhere. Whoever you meet is awake for a reason of their own, and you may ask for it.',
      },
      suggestions: {
        title: 'AI conversation suggestions',
        text: 'When a chat falls quiet, three questions that fit what you were talking about. Choose one, change it, or enjoy the silence.',
      },
      safety: {
        title: 'Moderation and reporting',
        text: 'Pictures from strangers stay blurred until you want to see them, and two presses end any chat. Report or block from the chat itself, and nobody is told.',
      },
    },
    /** What the pictures of the features show. They are hidden from assistive technology. */
    pictures: {
      me: 'quiet-otter-42',
      them: 'brave-heron-7',
      question: 'You break a friend’s favourite mug. Next step?',
      options: ['Glue it with golden cracks', 'Hunt down its exact twin', 'Phone them at once, whispering'],
      friends: [
        { name: 'brave-heron-7', avatar: 4, line: 'did the pie work out??', unread: '2', isOnline: true },
        { name: 'Inês', avatar: 11, line: 'Gerald sends his regards', isOnline: true },
        { name: 'calm-falcon-88', avatar: 9, line: 'You: sleep well, wherever', isOnline: false },
      ],
      places: [
        { greeting: 'boa noite', place: 'Lisbon', time: '23:41' },
        { greeting: 'dobranoc', place: 'Kraków', time: '00:41' },
        { greeting: 'usiku mwema', place: 'Nairobi', time: '02:41' },
        { greeting: 'magandang umaga', place: 'Manila', time: '07:41' },
      ],
      lastMessage: 'so that is how I lost the boat',
      suggestions: ['Did anybody notice?', 'What did you do next?', 'I once lost a bicycle'],
      // The button and the menu in the picture of `safety`.
      show: 'Show picture',
      skip: 'Skip Chat',
      remove: 'Remove Friend',
    },
  },
  breakTheIce: {
    name: 'Break the Ice',
    tagline: 'Break the Ice · only on Thaw',
    title: 'When neither of you knows what to say',
    lead: 'One press asks you both the same question. You answer without seeing the other’s, and then both are laid on the table. The same answer, and the ice is broken. Another, and you have something to talk about.',
    points: ['85 questions', 'Five answers each', 'Nobody peeks'],
    question: 'A friend had an awful Monday. What do you bring to their door?',
    myAnswer: 'Both ears, wide open',
    theirAnswer: 'Both ears, wide open',
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
