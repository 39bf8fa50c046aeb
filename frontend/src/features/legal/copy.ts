import { type HouseRule } from '@thaw/contract/safety';
import { ruleTitles } from '@/product/rule-titles';

/**
 * A page of text: the terms, the privacy notice or the house rules. They describe this software as it is delivered.
 * Operators replace the terms and the privacy notice with their own, including their name and address.
 */
export interface LegalText {
  title: string;
  lead: string;
  /** Shown as a numbered list before the sections. Only the house rules have it. */
  rules?: readonly { title: string; text: string }[];
  sections: readonly { title: string; paragraphs: readonly string[] }[];
}

export const terms: LegalText = {
  title: 'Terms',
  lead: 'The rules of this place, in short. The operator of this instance may replace them by their own.',
  sections: [
    {
      title: 'Who may take part',
      paragraphs: [
        'You are 18 or older. You may take part anonymously, or with an account made of an email address and a password.',
        'You answer for what happens with your account. Keep your password to yourself.',
      ],
    },
    {
      title: 'How to treat each other',
      paragraphs: [
        'There is a person on the other side. No harassment, no threats, no hate, no sexual content that was not asked for, nothing sexual that involves minors, and nothing that is against the law.',
        'Do not pass on what others told or showed you, do not ask for money, do not advertise, and do not let a program chat for you.',
        'You may end a chat at any time, for any reason or none, and so may the other.',
      ],
    },
    {
      title: 'What you write and show',
      paragraphs: [
        'What you write and the pictures you send stay yours. They are stored and delivered so that the chat works, and for nothing else.',
        'Send only what you are allowed to send.',
      ],
    },
    {
      title: 'What is not promised',
      paragraphs: [
        'Thaw cannot check who a stranger is or whether what they say is true. Do not tell a stranger what could harm you: your full name, your address, your passwords.',
        'The service is offered as it is. It may be interrupted, changed or ended.',
      ],
    },
  ],
};

export const privacy: LegalText = {
  title: 'Privacy',
  lead: 'What this software stores, for how long, and who sees it. The operator of this instance is the one to ask, and may replace this notice by their own.',
  sections: [
    {
      title: 'What is stored about you',
      paragraphs: [
        'Your username, your profile picture if you upload one, the gender you chose, and when you joined. With an account also your email address and a hash of your password; the password itself is never stored.',
        'Whom you met and when, your friend requests and your friends.',
        'Your IP address is used to limit floods of requests. The software keeps it for minutes, and writes no log of your visits.',
      ],
    },
    {
      title: 'What you write and show',
      paragraphs: [
        'What was said in a chat with a stranger, text and pictures, is erased 24 hours after the chat has ended.',
        'When a chat is reported, a copy of its last 30 messages goes to the moderators. The House rules say how long it is kept.',
        'What you write to a friend is kept until you delete the message or your account. A deleted message is erased for both of you, with its pictures and its earlier versions.',
        'Pictures are stored anew without their metadata, such as where they were taken.',
        'Messages are not encrypted end to end: who runs the servers could read what is stored.',
      ],
    },
    {
      title: 'Who sees what',
      paragraphs: [
        'Strangers see your username, your picture and that you are there. Friends see also whether you are online. Your gender is used to match you and never shown; your email address is shown to you alone.',
        'Ideas for what to write come from this page. If the operator offers ideas of a language model, you are asked first: your own last messages and the topics of the chat are then sent to the host that the question names, and the words of others are not.',
        'There are no advertisements, no trackers and no scripts of others on these pages. Nothing is sold.',
      ],
    },
    {
      title: 'What is stored on your device',
      paragraphs: [
        'A cookie that keeps you signed in, for at most 30 days after your last visit. Without it nothing works.',
        'Two cookies with random numbers that recognise this browser: one against the guessing of passwords, and one so that a paused or closed account is not simply replaced by a new one. Of the latter only a hash is stored, for 180 days after your last sign-in. There are no others.',
        'In your browser’s storage: your own profile, your settings such as the theme, messages that are not sent yet, and numbers of unread messages. Your profile, your messages and the numbers are removed when you log out.',
      ],
    },
    {
      title: 'What you can do',
      paragraphs: [
        'You can change your username, picture, email address and password in the Profile Settings, remove friends, and delete what you wrote to them.',
        'You can download your data in the Profile Settings, without what others wrote in chats with you; what friends wrote to you is in it.',
      ],
    },
    {
      title: 'When an account is deleted',
      paragraphs: [
        'You can delete your account in the Profile Settings, also without an email address. Nobody can find you from that moment on. Your profile, friends, messages and pictures are erased within a minute, and quotes of your words in the messages of others too.',
        'Kept are the copies in reports that are open or can still be appealed, and what the law obliges the operator to keep. What remains besides are records with numbers instead of you: that two accounts chatted and when, without names and without words.',
        'A signed receipt lists what was erased and what was kept, and counts at any time what is stored now. Everyone who knows its address can read it; it contains no name.',
        'Anonymous users who have not come back for seven days are erased in the same way.',
        'Copies disappear by themselves: pictures in the browsers of others after 24 hours, backups after 7 days, technical logs after 30 days. When a backup is restored, deleted accounts are erased from it again.',
      ],
    },
  ],
};

/** In the order in which the rules are shown and numbered. */
const ruleTexts: Record<HouseRule, string> = {
  adults_only:
    'You are 18 or older, and so is everyone you chat with here. If someone seems to be younger, end the chat and report it.',
  no_threats:
    'Do not threaten or blackmail anyone, and do not call on people to hurt themselves or others. A threat that is meant as a joke is a threat.',
  no_unwanted_sexual:
    'Ask before you write or show anything sexual, and take no for an answer. Stop as soon as the other person no longer wants it.',
  no_hate:
    'Do not insult people for their origin, skin colour, religion, disability, gender, or whom they love. You may disagree with anyone about anything.',
  no_private_data:
    'Do not press anyone for their name, address, phone number or pictures. Do not pass on what others told or showed you.',
  no_spam:
    'Do not advertise, sell anything or ask for money. Do not pretend to be someone else, and do not let a program chat for you.',
  no_illegal:
    'Do not send, ask for or arrange anything that is against the law. Nothing sexual that involves minors is ever allowed.',
};

export const rules: LegalText = {
  title: 'House rules',
  lead: 'Seven rules for everyone, and what happens when one of them is broken.',
  rules: (Object.keys(ruleTexts) as HouseRule[]).map((rule) => ({
    title: ruleTitles[rule],
    text: ruleTexts[rule],
  })),
  sections: [
    {
      title: 'Reports',
      paragraphs: [
        'You can report a chat partner during the chat and until 24 hours after it has ended, from Chat History too. You can report a friend at any time. The other person is not told.',
        'The last 30 messages go to the moderators with the report, and the message that you chose. The server takes this copy itself, and nothing can be added to it or left out.',
        'A report does not end a chat. Blocking does, and you will not meet again.',
      ],
    },
    {
      title: 'Decisions',
      paragraphs: [
        'A moderator reads each report. The result is no breach, a warning, a paused account or a closed account.',
        'When three people report someone within a day, that person meets only people in the same situation until a moderator has looked. When five do, the account is paused, for at most 72 hours without a moderator’s decision.',
        'Everyone who is concerned gets a notice: which rule, what happened, whether a moderator or an automatic rule decided, until when, and how to appeal. The reporter learns whether there was a breach, but not what followed.',
      ],
    },
    {
      title: 'Appeals',
      paragraphs: [
        'You can appeal a decision about you once, within 183 days. Another moderator decides. If your report was closed without a breach, you can ask for a second look in the same way.',
        'If there is only one moderator, the same moderator decides, at the earliest after 24 hours, and the notice says so.',
        'With a paused or closed account you can still sign in to read the notice and to appeal.',
      ],
    },
    {
      title: 'What is kept, and for how long',
      paragraphs: [
        'The chat itself is erased 24 hours after its end, reported or not.',
        'The copy in a report is kept until the report is decided. Without a breach it is erased 72 hours after the end of the chat or after the decision, whichever is later; otherwise 183 days after the decision, or at the end of the appeal.',
        'What a notice says, and what you wrote in an appeal, is erased 183 days after the measure has ended. A closed account has no such end.',
        'What concerns minors or is against the law is kept sealed for at least 365 days.',
        'No IP address is kept.',
      ],
    },
  ],
};

export const copy = {
  back: 'Back to the start',
  links: { terms: 'Terms', privacy: 'Privacy', rules: 'House rules' },
} as const;
