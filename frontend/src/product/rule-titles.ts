import { type HouseRule } from '@thaw/contract/safety';

/** Titles of the house rules, in the order of `/rules`; also used in notices. */
export const ruleTitles: Record<HouseRule, string> = {
  adults_only: 'Adults only.',
  no_threats: 'No threats, no violence.',
  no_unwanted_sexual: 'Nothing sexual that the other does not want.',
  no_hate: 'No hate.',
  no_private_data: 'Private details stay private.',
  no_spam: 'No advertising, no fraud.',
  no_illegal: 'Nothing that the law forbids.',
};
