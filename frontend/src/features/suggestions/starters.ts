import { type Topic } from '@thaw/contract/topics';

/** The part of a chat that a question suits. A deepener is for users who already know each other a little. */
export type Stage = 'opener' | 'follow_up' | 'deepener';

/** A prepared question that the page suggests to the user as a message to the partner. */
export interface Starter {
  id: string;
  text: string;
  /** One topic, or none if the question is general. */
  topics: readonly Topic[];
  stage: Stage;
}

type Texts = Readonly<Record<Stage, readonly string[]>>;

const generalTexts: Texts = {
  opener: [
    'What was the best part of your day so far?',
    'What brought you here today?',
    'What made you smile today?',
    'What are you looking forward to this week?',
    'What small thing do you enjoy every day?',
    'Do you like to plan, or do you improvise?',
    'What could you talk about for hours?',
    'What have you been curious about recently?',
    'If today had a title, what would it be?',
    'What is something new you tried this year?',
    'What always puts you in a good mood?',
    'What would your perfect day off look like?',
    'What is the best advice you ever got?',
    'Which little luxury do you allow yourself?',
    'What are you surprisingly good at?',
    'Which question do you wish people asked you?',
  ],
  follow_up: [
    'What was the highlight of your week?',
    'What would you like to learn next?',
    'Which habit are you glad you have?',
    'What did you last change your mind about?',
  ],
  deepener: [
    'What would you say to yourself ten years ago?',
    'What does a good life look like to you?',
    'What are you grateful for right now?',
    'When do you feel most like yourself?',
  ],
};

const textsByTopic: Readonly<Record<Topic, Texts>> = {
  music: {
    opener: ['Which song is stuck in your head right now?'],
    follow_up: ['Which concert do you still think about?', 'Which song always lifts your mood?'],
    deepener: ['Is there a song that takes you back somewhere?'],
  },
  films: {
    opener: ['Have you seen a good film recently?'],
    follow_up: ['Which film can you watch again and again?', 'Do you prefer the cinema or your sofa?'],
    deepener: ['Has a film ever changed how you see things?'],
  },
  series: {
    opener: ['Which series are you watching at the moment?'],
    follow_up: ['Which series would you start all over again?', 'One episode a day, or all of them at once?'],
    deepener: ['Which character do you see yourself in?'],
  },
  books: {
    opener: ['What are you reading at the moment?'],
    follow_up: ['Which book would you lend to a friend?', 'Paper, e-reader or audiobook?'],
    deepener: ['Which book has stayed with you the longest?'],
  },
  games: {
    opener: ['Do you play games, on a screen or a table?'],
    follow_up: ['Which game could you play for hours?', 'Do you play to win or just for fun?'],
    deepener: ['Has a game ever taught you something?'],
  },
  sport: {
    opener: ['Is there a sport you like to watch or play?'],
    follow_up: ['Which sport would you love to try once?', 'Do you like to exercise alone or with others?'],
    deepener: ['What keeps you going when it gets hard?'],
  },
  food: {
    opener: ['What is the best thing you ate this week?'],
    follow_up: ['What do you cook when you want to impress?', 'Sweet or savoury?'],
    deepener: ['Which taste takes you back to childhood?'],
  },
  drinks: {
    opener: ['Coffee, tea or something else entirely?'],
    follow_up: ['What makes a perfect cup for you?', 'What do you drink on a cold evening?'],
    deepener: ['Which café holds a good memory for you?'],
  },
  travel: {
    opener: ['Which place would you love to see one day?'],
    follow_up: ['Beach, mountains or a big city?', 'What do you never travel without?'],
    deepener: ['Which journey has changed you?'],
  },
  animals: {
    opener: ['Cats, dogs, or something with feathers?'],
    follow_up: [
      'Which animal would you like to be for a day?',
      'What is the funniest thing you saw an animal do?',
    ],
    deepener: ['What can people learn from animals?'],
  },
  nature: {
    opener: ['Forest, sea or mountains?'],
    follow_up: ['Where do you go when you need fresh air?', 'Where was the finest sunset you ever saw?'],
    deepener: ['When did nature last leave you speechless?'],
  },
  weather: {
    opener: ['Which weather suits your mood today?'],
    follow_up: ['Are you a summer or a winter person?', 'What do you do on a rainy Sunday?'],
    deepener: ['Which season feels like a new beginning?'],
  },
  work: {
    opener: ['What keeps you busy during the day?'],
    follow_up: ['What do you enjoy most about what you do?', 'What did you once dream of becoming?'],
    deepener: ['What would you do if money did not matter?'],
  },
  studies: {
    opener: ['What would you study just for fun?'],
    follow_up: ['Which subject did you secretly enjoy?', 'Do you learn by reading, doing or asking?'],
    deepener: ['Who taught you something you still use?'],
  },
  family: {
    opener: ['Do you come from a big or a small family?'],
    follow_up: ['Which family tradition do you like best?', 'Which family story gets repeated every year?'],
    deepener: ['What have you learned from your family?'],
  },
  friends: {
    opener: ['How did you meet your best friend?'],
    follow_up: ['What makes someone a good friend to you?', 'What do you and your friends laugh about?'],
    deepener: ['Which friendship has shaped you the most?'],
  },
  love: {
    opener: ['What is your favourite love story?'],
    follow_up: ['Are you a romantic, or rather practical?', 'What is the kindest thing someone did for you?'],
    deepener: ['What has love taught you?'],
  },
  home: {
    opener: ['What makes a place feel like home to you?'],
    follow_up: ['Which corner of your home do you like best?', 'A busy city or somewhere quiet?'],
    deepener: ['Could you imagine living in another country?'],
  },
  sleep: {
    opener: ['Are you a night owl or an early bird?'],
    follow_up: ['What helps you fall asleep?', 'Do you remember your dreams?'],
    deepener: ['Is there a dream that keeps coming back?'],
  },
  art: {
    opener: ['Do you make things: draw, build, knit?'],
    follow_up: ['What do you like to take pictures of?', 'What would you love to make with your hands?'],
    deepener: ['Which work of art has moved you?'],
  },
  technology: {
    opener: ['Which app could you not do without?'],
    follow_up: ['Which gadget turned out to be worth it?', 'Could you spend a weekend without your phone?'],
    deepener: ['Does technology bring people closer?'],
  },
  space: {
    opener: ['Would you fly to space if you had a ticket?'],
    follow_up: ['Do you think we are alone in the universe?', 'When did you last look at the stars?'],
    deepener: ['What would you ask someone from the future?'],
  },
  languages: {
    opener: ['In how many languages can you say hello?'],
    follow_up: ['Which language would you love to speak?', 'What is your favourite word in any language?'],
    deepener: ['Do you feel different in another language?'],
  },
  feelings: {
    opener: ['How are you, honestly?'],
    follow_up: ['What helps you after a long day?', 'What cheers you up when you feel low?'],
    deepener: ['What has made you proud of yourself?'],
  },
};

const stages = ['opener', 'follow_up', 'deepener'] as const;

const toStarters = (idPrefix: string, texts: Texts, topics: readonly Topic[]): Starter[] =>
  stages.flatMap((stage) =>
    texts[stage].map((text, index) => ({ id: `${idPrefix}-${stage}-${index + 1}`, text, topics, stage })),
  );

export const starters: readonly Starter[] = [
  ...toStarters('general', generalTexts, []),
  ...(Object.keys(textsByTopic) as Topic[]).flatMap((topic) =>
    toStarters(topic, textsByTopic[topic], [topic]),
  ),
];
