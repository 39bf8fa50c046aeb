import { generateHandle } from './handle.factory';
import { parseUsername } from './username.rules';

describe('parseUsername', () => {
  it.each([
    ['white space around a name', '  Ada Lovelace ', 'Ada Lovelace'],
    ['a letter and its mark, composed', 'e\u0301clair', 'éclair'],
    ['invisible characters', 'a\u202Eb\u0007c', 'abc'],
    ['30 emojis', '😀'.repeat(30), '😀'.repeat(30)],
    ['emojis of several code points', '👩🏽‍💻 ❤️ 1️⃣', '👩🏽‍💻 ❤️ 1️⃣'],
    ['a town', 'Scunthorpe', 'Scunthorpe'],
    ['the name of the service as part of a word', 'Thawed Tom', 'Thawed Tom'],
    ['a reserved word at the start of a word', 'Adminton', 'Adminton'],
    ['the word support as part of a word', 'Supportive Sue', 'Supportive Sue'],
    ['the word system as part of a word', 'Ecosystems7', 'Ecosystems7'],
    ['Japanese', '日本', '日本'],
    ['Cyrillic letters', 'Владимир', 'Владимир'],
    ['Greek letters', 'Ελένη', 'Ελένη'],
    ['two marks on a letter, as in Vietnamese', 'Nguyễn Thế', 'Nguyễn Thế'],
    ['several marks, as in Hindi', 'ज़ाँकी', 'ज़ाँकी'],
    ['several marks, as in Thai', 'ที่นี่', 'ที่นี่'],
  ])('accepts %s', (_case, username, expected) => {
    expect(parseUsername(username)).toBe(expected.normalize('NFC'));
  });

  it.each([
    ['an empty name', ''],
    ['white space', ' \t '],
    ['a zero-width space', '\u200B'],
    ['a directional override', '\u202E'],
    ['more than 30 characters', '😀'.repeat(31)],
    ['a reserved word', 'admin'],
    ['a reserved word with spaces between its letters', 'A d m i n'],
    ['a reserved word with digits for letters', '4dm1n'],
    ['a reserved word followed by a digit', 'admin7'],
    ['a reserved word after another word', 'the moderator'],
    ['a slur in the plural', 'Nazis'],
    ['the name of the service', 'Thaw'],
    ['the name of the service with another word', 'Thaw Support'],
    ['two reserved words without a space', 'ThawSupport'],
    ['the name of the service and the word team without a space', 'thawteam'],
    ['the word staff', 'Staff'],
    ['the word support', 'support_24'],
    ['the word system', 'SYSTEM'],
    ['a claim to be official', 'Official Ada'],
    ['a Cyrillic letter for a Latin o', 'Моderator'],
    ['a Cyrillic letter for a Latin A', 'Аdmin'],
    ['Greek letters', 'Τhαω'],
    ['a Lisu letter', 'ꓮdmin'],
    ['a Cherokee letter', 'Ꭺdmin'],
    ['full-width letters', 'ａｄｍｉｎ'],
    ['mathematical letters', '𝓼𝔂𝓼𝓽𝓮𝓶'],
    ['small capitals', 'ꜱᴜᴘᴘᴏʀᴛ'],
    ['a capital I for an l', 'officiaI'],
    ['two letters that look like one', 'adrnin'],
    ['accents', 'Ádmîn'],
    ['an invisible character inside a word', 'ad\u00admin'],
    ['an invisible character next to letters', 'Ada\u2060'],
    ['a joiner that joins no emoji', 'A\u200dda'],
    ['a selector that selects no emoji', 'Ada\ufe0f'],
    ['a tag character', 'Ada\u{e0041}'],
    ['blank Braille', '\u2800Ada'],
    ['a Hangul filler', 'ㅤㅤ'],
    ['a Hangul choseong filler', '\u115f'],
    ['a Hangul jungseong filler', '\u1160'],
    ['a half-width Hangul filler', '\uffa0'],
    ['three marks on a letter', 'Z\u0300\u0301\u0302'],
    ['the same mark 24 times on a letter', `Z${'\u0327'.repeat(24)}`],
  ])('returns null for %s', (_case, username) => {
    expect(parseUsername(username)).toBeNull();
  });

  it('accepts every generated handle', () => {
    let next = 0;
    // Replaces random numbers by a fixed sequence, which steps through the words and numbers by 7.
    const chooseNumber = (below: number) => (next += 7) % below;
    const handles = Array.from({ length: 2_000 }, () => generateHandle(chooseNumber));
    expect(handles.filter((handle) => parseUsername(handle) === null)).toEqual([]);
  });
});
