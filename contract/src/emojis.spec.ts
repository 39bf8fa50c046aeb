import { privateChatPickerEmojis, randomChatPickerEmojis } from './emojis.js';

describe('the emoji pickers', () => {
  it('offer 16 emojis in a random chat and 24 in a private chat', () => {
    expect(randomChatPickerEmojis).toHaveLength(16);
    expect(privateChatPickerEmojis).toHaveLength(24);
  });

  it('offer every emoji of the random chat in the private chat too', () => {
    expect(privateChatPickerEmojis).toEqual(expect.arrayContaining([...randomChatPickerEmojis]));
  });

  it('offer no emoji twice, compared without the variation selector', () => {
    const bareEmojis = privateChatPickerEmojis.map((emoji) => emoji.replaceAll('\ufe0f', ''));
    expect(new Set(bareEmojis).size).toBe(privateChatPickerEmojis.length);
  });

  it('offer single graphemes that are emojis', () => {
    const segmenter = new Intl.Segmenter();
    for (const emoji of privateChatPickerEmojis) {
      expect([...segmenter.segment(emoji)]).toHaveLength(1);
      expect(emoji).toMatch(/^\p{Extended_Pictographic}\ufe0f?$/u);
    }
  });
});
