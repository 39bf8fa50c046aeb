/**
 * The terms and the privacy notice, which describe what this software does. Operators replace them with their own,
 * including their name and address.
 */
export interface LegalText {
  title: string;
  lead: string;
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
        'What you write to a friend is kept until you delete the message. A deleted message is erased for both of you, with its pictures and its earlier versions.',
        'Pictures are stored anew without their metadata, such as where they were taken.',
        'Messages are not encrypted end to end: who runs the servers could read what is stored.',
      ],
    },
    {
      title: 'Who sees what',
      paragraphs: [
        'Strangers see your username, your picture and that you are there. Friends see also whether you are online. Your gender is used to match you and never shown; your email address is shown to you alone.',
        'There are no advertisements, no trackers and no scripts of others on these pages. Nothing is sold.',
      ],
    },
    {
      title: 'What is stored on your device',
      paragraphs: [
        'One cookie that keeps you signed in, for at most 30 days after your last visit. Without it nothing works, and there is no other.',
        'In your browser’s storage: your own profile, your settings such as the theme, messages that are not sent yet, and numbers of unread messages. Your profile, your messages and the numbers are removed when you log out.',
      ],
    },
    {
      title: 'What you can do',
      paragraphs: [
        'You can change your username, picture, email address and password in the Profile Settings, remove friends, and delete what you wrote to them.',
        'To have your account deleted, or to get a copy of your data, ask the operator of this instance.',
      ],
    },
  ],
};

export const copy = {
  back: 'Back to the start',
  other: { terms: 'Terms', privacy: 'Privacy' },
} as const;
