import { generateUsername } from './username.factory';
import { parseUsername } from './username.rules';

describe('parseUsername', () => {
  it.each([
    ['removes white space around a name', '  Ada Lovelace ', 'Ada Lovelace'],
    ['composes a letter and its combining mark', 'e\u0301clair', '\u00e9clair'],
    ['removes directional overrides and control characters', 'a\u202Eb\u0007c', 'abc'],
  ])('%s', (_title, text, username) => {
    expect(parseUsername(text)).toBe(username);
  });

  it.each([
    ['30 emojis, the maximum length in code points', '😀'.repeat(30)],
    ['emojis of several code points', '👩🏽‍💻 ❤️ 1️⃣'],
    ['a town whose name contains a slur', 'Scunthorpe'],
    ['the name of the service as part of a longer word', 'Thawed Tom'],
    ['the reserved word admin as part of a longer word', 'Adminton'],
    ['the reserved word support as part of a longer word', 'Supportive Sue'],
    ['the reserved word system as part of a longer word', 'Ecosystems7'],
    ['Japanese characters', '日本'],
    ['Cyrillic letters', 'Владимир'],
    ['Greek letters', 'Ελένη'],
    ['two marks on a letter, as in Vietnamese', 'Nguyễn Thế'],
    ['several marks, as in Hindi', 'ज़ाँकी'],
    ['several marks, as in Thai', 'ที่นี่'],
  ])('accepts %s', (_case, username) => {
    expect(parseUsername(username)).toBe(username.normalize('NFC'));
  });

  it.each([
    ['an empty name', ''],
    ['white space', ' \t '],
    ['a zero-width space', '\u200B'],
    ['a directional override', '\u202E'],
    ['more than 30 code points', '😀'.repeat(31)],
    ['a reserved word', 'admin'],
    ['a reserved word with spaces between its letters', 'A d m i n'],
    ['a reserved word with digits for letters', '4dm1n'],
    ['a reserved word followed by a digit', 'admin7'],
    ['a reserved word after another word', 'the moderator'],
    ['a slur in the plural', 'Nazis'],
    ['the name of the service', 'Thaw'],
    ['the name of the service before a reserved word', 'Thaw Support'],
    ['the name of the service before a reserved word, without a space', 'ThawSupport'],
    ['the name of the service before the word team, without a space', 'thawteam'],
    ['the reserved word staff', 'Staff'],
    ['the reserved word support, followed by an underscore and digits', 'support_24'],
    ['the reserved word system in capitals', 'SYSTEM'],
    ['the reserved word official before a name', 'Official Ada'],
    ['a Cyrillic letter for a Latin o', 'Моderator'],
    ['a Cyrillic letter for a Latin A', 'Аdmin'],
    ['Greek letters for Latin ones', 'Τhαω'],
    ['a Greek lunate sigma for a Latin c', 'offiϲial'],
    ['a Greek capital Eta for a Latin H', 'TΗAW'],
    ['a Greek capital Mu for a Latin M', 'ADΜIN'],
    ['a Greek capital Nu for a Latin N', 'ADMIΝ'],
    ['a Greek capital Upsilon for a Latin Y', 'SΥSTEM'],
    ['a Greek capital with an accent for a Latin letter', 'TΉAW'],
    ['a Lisu letter for a Latin A', 'ꓮdmin'],
    ['a Cherokee letter for a Latin A', 'Ꭺdmin'],
    ['a reserved word in full-width letters', 'ａｄｍｉｎ'],
    ['a reserved word in mathematical letters', '𝓼𝔂𝓼𝓽𝓮𝓶'],
    ['a reserved word in small capitals', 'ꜱᴜᴘᴘᴏʀᴛ'],
    ['a capital I for an l', 'officiaI'],
    ['two letters that look like one', 'adrnin'],
    ['a reserved word with accents', 'Ádmîn'],
    ['a reserved word with an invisible character inside', 'ad\u00admin'],
    ['an invisible character after a name', 'Ada\u2060'],
    ['a zero-width joiner without emojis', 'A\u200dda'],
    ['a variation selector without an emoji', 'Ada\ufe0f'],
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

  it('accepts 9,000 generated usernames', () => {
    // The index replaces the random numbers, so that every word and every possible number occurs.
    const usernames = Array.from({ length: 9_000 }, (_, index) => generateUsername((below) => index % below));
    expect(usernames.filter((username) => parseUsername(username) === null)).toEqual([]);
  });
});
