/** Static words for the picture of a conversation; no product entity. */
export interface SampleMessage {
  from: 'left' | 'right';
  text: string;
}

export const sample = {
  mood: 'Playful',
  left: { id: 11, name: 'Inês', country: 'Portugal' },
  right: { id: 2, name: 'Tomasz', country: 'Poland' },
  time: '23:41',
  messages: [
    { from: 'left', text: 'Quick: the best thing you ate this week?' },
    { from: 'right', text: 'Cold pizza, standing, in front of the fridge' },
    { from: 'right', text: 'At 2 am. No regrets.' },
    { from: 'left', text: 'A person of taste.' },
    { from: 'left', text: 'I had soup so bad that I named it' },
    { from: 'right', text: 'You named it?' },
    { from: 'left', text: 'Gerald. We do not talk about Gerald.' },
    { from: 'right', text: '😂' },
  ],
} as const satisfies {
  mood: string;
  left: { id: number; name: string; country: string };
  right: { id: number; name: string; country: string };
  time: string;
  messages: readonly SampleMessage[];
};
