// Sample conversations of the landing page. The participants are invented and have no accounts.

export type Mood = 'Happy' | 'Supportive' | 'Playful' | 'Melancholy' | 'Deep' | 'Uplifting' | 'Vulnerable';

export interface SampleParticipant {
  name: string;
  /** Number that determines the hue of the avatar, in place of a user id. */
  avatar: number;
  country: string;
}

export interface SampleMessage {
  /** Name of one of the two participants. A card of the game is shown on this participant's side. */
  sender: string;
  text: string;
  time: string;
  /** Shown as a card of the game Break the Ice. */
  isGame?: true;
}

export interface SampleConversation {
  mood: Mood;
  participants: readonly [SampleParticipant, SampleParticipant];
  messages: readonly SampleMessage[];
}

/** One conversation for each mood, short enough to be read in the five seconds for which it is shown. */
export const samples: readonly SampleConversation[] = [
  {
    mood: 'Happy',
    participants: [
      { name: 'Aroha', avatar: 3, country: 'New Zealand' },
      { name: 'Mateus', avatar: 8, country: 'Brazil' },
    ],
    messages: [
      { sender: 'Aroha', text: 'she said yes', time: '21:07' },
      { sender: 'Aroha', text: 'sorry. hi. we’ve never met. SHE SAID YES', time: '21:07' },
      { sender: 'Mateus', text: 'HELLO, congratulations??', time: '21:08' },
      { sender: 'Mateus', text: 'how did you ask', time: '21:08' },
      { sender: 'Aroha', text: 'badly. in a car park. in the rain', time: '21:09' },
      { sender: 'Mateus', text: 'the finest car park in New Zealand', time: '21:09' },
    ],
  },
  {
    mood: 'Supportive',
    participants: [
      { name: 'Jonas', avatar: 14, country: 'Germany' },
      { name: 'Amina', avatar: 5, country: 'Kenya' },
    ],
    messages: [
      { sender: 'Jonas', text: 'New job tomorrow. I’ve ironed three shirts', time: '22:31' },
      { sender: 'Amina', text: 'So you have two spare ones. You’re ahead', time: '22:31' },
      { sender: 'Jonas', text: 'What if they notice they picked the wrong one?', time: '22:33' },
      { sender: 'Amina', text: 'They met you first. Then they picked you', time: '22:34' },
      { sender: 'Jonas', text: 'I’m writing that on my hand', time: '22:34' },
      { sender: 'Amina', text: 'The left. You’ll be shaking with the right', time: '22:35' },
    ],
  },
  {
    mood: 'Playful',
    participants: [
      { name: 'Inês', avatar: 11, country: 'Portugal' },
      { name: 'Tomasz', avatar: 2, country: 'Poland' },
    ],
    messages: [
      { sender: 'Inês', text: 'Quick: the best thing you ate this week?', time: '23:39' },
      { sender: 'Tomasz', text: 'Cold pizza, standing, in front of the fridge', time: '23:39' },
      { sender: 'Inês', text: 'I had soup so bad that I named it', time: '23:40' },
      { sender: 'Tomasz', text: 'You named it?', time: '23:40' },
      { sender: 'Inês', text: 'Gerald. We don’t talk about Gerald', time: '23:41' },
      { sender: 'Tomasz', text: '😂', time: '23:41' },
    ],
  },
  {
    mood: 'Melancholy',
    participants: [
      { name: 'Callum', avatar: 6, country: 'Scotland' },
      { name: 'Yuki', avatar: 17, country: 'Japan' },
    ],
    messages: [
      { sender: 'Callum', text: 'Went back to my dad’s allotment today. First time', time: '19:52' },
      { sender: 'Yuki', text: 'Was anything still growing?', time: '19:52' },
      { sender: 'Callum', text: 'Rhubarb. Loads. He couldn’t stand rhubarb', time: '19:53' },
      { sender: 'Yuki', text: 'Then maybe it was for you', time: '19:55' },
      { sender: 'Callum', text: 'I don’t like it either', time: '19:55' },
      { sender: 'Yuki', text: 'One bad pie, then. For both of you', time: '19:56' },
    ],
  },
  {
    mood: 'Deep',
    participants: [
      { name: 'Leïla', avatar: 19, country: 'Morocco' },
      { name: 'Viktor', avatar: 13, country: 'Sweden' },
    ],
    messages: [
      { sender: 'Leïla', text: 'Do people change, or just tire of pretending?', time: '01:14' },
      { sender: 'Viktor', text: 'I think they get braver in smaller rooms', time: '01:15' },
      { sender: 'Leïla', text: 'Smaller rooms?', time: '01:15' },
      { sender: 'Viktor', text: 'I couldn’t say this at a dinner. I can say it to you', time: '01:17' },
      { sender: 'Leïla', text: 'Because we’ll never meet?', time: '01:17' },
      { sender: 'Viktor', text: 'Because you asked and then waited', time: '01:18' },
    ],
  },
  {
    mood: 'Uplifting',
    participants: [
      { name: 'Thandi', avatar: 16, country: 'South Africa' },
      { name: 'Rosa', avatar: 22, country: 'Mexico' },
    ],
    messages: [
      { sender: 'Thandi', text: 'Day 30 without a cigarette', time: '17:20' },
      { sender: 'Rosa', text: 'THIRTY. I’d stand up, but I’m on a bus', time: '17:20' },
      { sender: 'Thandi', text: 'Stand up anyway', time: '17:21' },
      { sender: 'Rosa', text: 'I stood up. A man asked if it was my stop', time: '17:22' },
      { sender: 'Rosa', text: 'I told him about you. He says well done', time: '17:22' },
      { sender: 'Thandi', text: 'I’m crying about a man on a bus in Mexico', time: '17:23' },
    ],
  },
  {
    mood: 'Vulnerable',
    participants: [
      { name: 'Noor', avatar: 25, country: 'Jordan' },
      { name: 'Elias', avatar: 10, country: 'Finland' },
    ],
    messages: [
      {
        sender: 'Noor',
        text: 'You read only the first line of a sorry. Which one wins you over?',
        time: '00:26',
        isGame: true,
      },
      { sender: 'Elias', text: 'You both chose “I was wrong about that”', time: '00:27', isGame: true },
      { sender: 'Elias', text: 'Nine years I’ve waited to read that from my brother', time: '00:28' },
      { sender: 'Noor', text: 'Send it first. Try it on me, I’ll be him', time: '00:28' },
      { sender: 'Elias', text: 'give me a minute', time: '00:31' },
    ],
  },
];
