import { splitByAddresses } from '@/chat-ui/message/links';

const findUrls = (text: string): string[] =>
  splitByAddresses(text).flatMap(({ url }) => (url ? [url.href] : []));

it.each([
  ['https://example.org/a?b=c#d', 'https://example.org/a?b=c#d'],
  ['see www.example.org.', 'https://www.example.org/'],
  ['(https://example.org/wiki/Ice_(water))', 'https://example.org/wiki/Ice_(water)'],
  ['HTTP://EXAMPLE.ORG!', 'http://example.org/'],
])('finds the address in %j', (text, url) => {
  expect(findUrls(text)).toEqual([url]);
});

it.each(['no address', 'javascript:alert(1)', 'http://', 'https://localhost', 'ftp://example.org'])(
  'finds no address in %j',
  (text) => {
    expect(findUrls(text)).toEqual([]);
  },
);

it('returns the host of a lookalike address in Punycode', () => {
  // The first "a" is Cyrillic.
  expect(findUrls('https://pаypal.com')).toEqual(['https://xn--pypal-4ve.com/']);
});

it('preserves every character of the text', () => {
  for (const text of ['', 'a', 'x https://example.org, y www.example.org', 'https://example.org\nand more']) {
    expect(
      splitByAddresses(text)
        .map((part) => part.text)
        .join(''),
    ).toBe(text);
  }
});
