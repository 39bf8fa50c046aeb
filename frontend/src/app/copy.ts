export const copy = {
  notFound: {
    title: 'Page Not Found',
    lead: 'Nobody is here. The others are one page further.',
    home: 'Back to the start',
  },
  broken: {
    title: 'Something broke',
    lead: 'It is our fault, not yours. Loading the page again usually helps.',
    reload: 'Load again',
  },
} as const;
