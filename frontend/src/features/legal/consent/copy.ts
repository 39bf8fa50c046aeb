export const copy = {
  adults: 'By continuing you confirm that you are 18 or older.',
  terms: 'Terms',
  privacy: 'Privacy',
  rules: 'House rules',
} as const;
