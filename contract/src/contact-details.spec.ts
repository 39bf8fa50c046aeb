import { findContactDetails, replaceContactDetails } from './contact-details.js';

/** Formats the contact details that are found in a text as `<kind> <matched text>`. */
const listContactDetails = (text: string) =>
  findContactDetails(text).map(({ kind, start, end }) => `${kind} ${text.slice(start, end)}`);

describe('findContactDetails', () => {
  it.each([
    ['a link with a scheme', 'see https://example.org/a?b=1#c now', ['link https://example.org/a?b=1#c']],
    ['a link with a scheme other than http', 'tg://resolve?domain=anna', ['link tg://resolve?domain=anna']],
    ['a link before a full stop', 'it is on http://example.org/a.', ['link http://example.org/a']],
    ['www without a scheme', 'www.example.org/x is mine', ['link www.example.org/x']],
    ['a bare domain', 'look at anna-k.com please', ['link anna-k.com']],
    ['a bare domain with a path', 'youtube.com/watch?v=1 ok', ['link youtube.com/watch?v=1']],
    ['a bare domain in capitals', 'ANNA.COM', ['link ANNA.COM']],
    ['two links', 'a.com, b.net', ['link a.com', 'link b.net']],
    ['an e-mail address', 'write to anna.k+chat@mail.example.org!', ['email anna.k+chat@mail.example.org']],
    ['an international number', 'call +49 (0) 170 123-45-67', ['phone +49 (0) 170 123-45-67']],
    ['a number in groups', 'my number: 600 123 456', ['phone 600 123 456']],
    ['a number after a colon', 'tel:0170123456', ['phone 0170123456']],
    ['a number without separators', '07700900123', ['phone 07700900123']],
    ['a handle', 'add @anna_99.', ['handle @anna_99']],
    ['a username after the name of a service and a colon', 'snap: anna', ['handle anna']],
    ['a username before a full stop', 'snap: anna.', ['handle anna']],
    ['a username after the name of a service and "is"', 'my insta is anna.k', ['handle anna.k']],
    ['a username right after the name of a service', 'kik bob2000', ['handle bob2000']],
    ['a username with an at sign after the name of a service', 'telegram @anna', ['handle @anna']],
    ['usernames on several services', 'snapchat anna_1 or Discord: bob', ['handle anna_1', 'handle bob']],
    ['a username only up to a "#", which no username contains', 'Discord: bob#1234', ['handle bob']],
  ])('finds %s', (_case, text, expected) => {
    expect(listContactDetails(text)).toEqual(expected);
  });

  it.each([
    ['a date', 'born on 20.11.1998 in a small town'],
    ['an ISO date', '2026-11-20'],
    ['a date with a time', '20.11.2026 21:10'],
    ['a time', '12:30:45'],
    ['a range of years', '2019-2023'],
    ['two years', '2019 2023'],
    ['a price', 'it costs $12 000 000'],
    ['a price before its currency', '12000000 eur'],
    ['a large number in groups', '10.000.000'],
    ['a number of fewer than 8 digits', 'room 1234567'],
    ['a number of more than 15 digits', '1234567890123456'],
    ['a decimal number', '3,14159265358'],
    ['a missing space after a full stop', 'ok.it is fine.but not now'],
    ['the name of a service in a sentence', 'do you use discord? discord is down and snap too'],
    ['a service as the last word', 'i deleted my instagram'],
    ['a lone at sign', 'meet @ noon, 5@home'],
    ['an ellipsis', 'well...maybe'],
  ])('does not mistake %s for a contact detail', (_case, text) => {
    expect(listContactDetails(text)).toEqual([]);
  });

  it('returns spans in order, without overlaps', () => {
    const text = 'https://example.org/@anna/+4917012345678 anna@example.org';
    expect(listContactDetails(text)).toEqual([
      'link https://example.org/@anna/+4917012345678',
      'email anna@example.org',
    ]);
  });

  it.each([
    ['letters', 'a'],
    ['digits', '1'],
    ['digits and spaces', '1 '],
    ['digits and three separators', '1 - '],
    ['at signs', '@'],
    ['addresses without a domain', 'a@'],
    ['short addresses', 'a@a. '],
    ['top-level domains', '.com'],
    ['full stops', '.'],
    ['opening brackets', '('],
    ['beginnings of links', 'www.'],
    ['schemes', 'http://'],
    ['names of services', 'snap is '],
    ['names of services and colons', 'kik:'],
    ['currencies', '1€'],
  ])('reads 50,000 characters of %s within a limit that only linear time keeps', (_case, part) => {
    const text = part.repeat(Math.ceil(50_000 / part.length)).slice(0, 50_000);
    const measureFastestMs = (): number => {
      const times = Array.from({ length: 5 }, () => {
        const startedAt = Date.now();
        findContactDetails(text);
        return Date.now() - startedAt;
      });
      return Math.min(...times);
    };
    measureFastestMs(); // Warms up the JIT compiler.
    // Quadratic time would take seconds. The fastest of five runs is not affected by other load.
    expect(measureFastestMs()).toBeLessThan(40);
  });
});

describe('replaceContactDetails', () => {
  it('replaces each contact detail and keeps the rest of the text', () => {
    expect(replaceContactDetails('mail a@b.org or see c.com, ok?', '[hidden]')).toBe(
      'mail [hidden] or see [hidden], ok?',
    );
    expect(replaceContactDetails('nothing here', '[hidden]')).toBe('nothing here');
  });
});
