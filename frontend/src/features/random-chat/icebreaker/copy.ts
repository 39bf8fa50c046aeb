import { type GameData } from '@/features/random-chat/icebreaker/game';

/** The title is shown in English and in Portuguese (docs/product-decisions.md, A80). */
const match = {
  title: 'The ice is broken!',
  portuguese: 'O gelo foi quebrado!',
  /** Accessible name of the effect at the reveal. */
  effectLabel: 'Ice cubes',
} as const;
const plotTwist = {
  title: 'Plot twist!',
  hint: 'Two answers. Ask each other why.',
  effectLabel: 'Sparks',
} as const;

/** All texts of Break the Ice. */
export const copy = {
  start: 'Break the Ice',
  /** Accessible name of the log of announcements. */
  log: 'Break the Ice: news',
  ignore: 'Ignore',
  asked: { byMe: 'You asked', byPartner: (name: string) => `${name} wants to break the ice` },
  answered: 'You answered',
  partnerAnswered: (name: string) => `${name} has answered`,
  ignoredByMe: ['You ignored this game', 'Game ended'],
  ignoredByPartner: ['Game cancelled by partner', 'You can no longer respond'],
  closed: ['The chat is over', 'Game ended'],
  match,
  plotTwist,
  you: 'You',
  /** Notices among the messages. */
  notices: {
    waiting: 'Waiting response from your chat partner...',
    ignoredByMe: 'You decided to not break the ice',
    ignoredByPartner: 'Your partner decided to not break the ice',
  },
  gameNotShown: 'This game cannot be shown.',
  /** What screen readers announce at a reveal. */
  revealAnnouncement: ({ sameAnswer, userResponse, partnerResponse }: GameData, name: string) =>
    `${(sameAnswer ? match : plotTwist).title} You: ${userResponse}. ${name}: ${partnerResponse}.`,
  notStarted: {
    too_fast: { title: 'A little slower, please', description: 'You can ask the next question in a moment.' },
    failed: { title: 'The question was not sent', description: 'Please try again in a moment.' },
  },
} as const;
