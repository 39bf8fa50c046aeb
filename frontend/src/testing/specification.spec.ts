// Compares the texts of the features with those of the product specification, which is not part of this repository,
// character by character. `§` is a section of the specification; a number such as A61 is an entry in
// docs/product-decisions.md.
import { copy as app } from '@/app/copy';
import { copy as chatUi } from '@/chat-ui/copy';
import { copy as auth } from '@/features/auth/copy';
import { copy as friends } from '@/features/friends/copy';
import { copy as history } from '@/features/history/copy';
import { copy as landing } from '@/features/landing/copy';
import { copy as profile } from '@/features/profile/copy';
import { copy as profileForms } from '@/features/profile/forms/copy';
import { copy as randomChat } from '@/features/random-chat/copy';
import { copy as icebreaker } from '@/features/random-chat/icebreaker/copy';

const specifiedTexts: [section: string, shown: string, specified: string][] = [
  ['§2 routes', app.notFound.title, 'Page Not Found'],
  ['§2 landing', landing.actions.login, 'Login'],
  ['§2 landing', landing.actions.register, 'Register'],
  ['§2 landing', landing.actions.join, 'Join Anonymously'],
  ['§2 landing', landing.actions.starting, 'Starting...'],
  ['§2 landing', landing.closing.title, 'Ready to make Friends?'],
  ['§2 sign-in', auth.anonymous, 'Chat Anonymously'],
  ['§2 sign-in', auth.back, 'Back'],
  ['A159', auth.fields.email, 'Email'],
  ['A159', auth.fields.password, 'Password'],
  ['A159', auth.fields.confirmPassword, 'Confirm Password'],
  ['A165', chatUi.connection.connected, 'Connected'],
  ['A165', chatUi.connection.disconnected, 'Disconnected'],
  ['§2 initial', randomChat.initial.title, 'Ready to chat?'],
  ['§2 initial', randomChat.initial.preference, 'Looking to chat with'],
  ['§2 initial', Object.values(randomChat.initial.preferences).join(' / '), 'Both / Man / Woman'],
  ['§2 initial', randomChat.initial.find, 'Find Conversation'],
  ['§2 initial', randomChat.initial.connecting, 'Connecting...'],
  ['§2 searching', randomChat.searching.title, 'Looking for someone...'],
  ['§2 searching', randomChat.searching.cancel, 'Cancel'],
  ['§2 skipped', randomChat.skipped.title, 'Chat Ended'],
  ['§2 skipped', randomChat.skipped.reasons.skipped, 'Your chat partner skipped this conversation'],
  ['A52', randomChat.skipped.reasons.disconnected, 'Your chat partner disconnected'],
  ['§2 skipped', randomChat.skipped.again, 'New Conversation'],
  ['§2 active', randomChat.active.skip, 'Skip Chat'],
  ['§2 active', randomChat.active.skipQuestion, 'Skip this chat?'],
  ['§2 active', randomChat.active.skipConfirm, 'Confirm'],
  ['§2 active', randomChat.active.skipCancel, 'Cancel'],
  ['A61', randomChat.active.welcome('Ada'), '🎉 You are now chatting with Ada. Say hi!'],
  ['A114', chatUi.composer.notSent, 'Not sent: reconnecting'],
  ['§2 modals', profile.gender.title, 'Select Your Gender'],
  ['A35', profile.gender.options.male, 'Man'],
  ['A35', profile.gender.options.female, 'Woman'],
  ['A35', profile.gender.confirm, 'Confirm'],
  ['A03', profile.account.logout, 'Logout'],
  ['A03', app.profile.logout, 'Logout'],
  ['§2 chat page', friends.list.send, 'Send Message'],
  ['§2 chat page', friends.list.remove, 'Remove Friend'],
  ['§2 chat page', friends.list.empty, 'No friends yet. Start chatting to make new friends!'],
  ['A136', friends.list.count(3), 'Friends (3)'],
  ['§2 active', icebreaker.start, 'Break the Ice'],
  ['§2 active', friends.add.idle, 'Add Friend'],
  ['§4 friend request', friends.add.sent.toolbar, 'Sent!'],
  ['§4 friend request', friends.add.sent.endedChat, 'Friend Request Sent'],
  ['§4 icebreaker', icebreaker.ignore, 'Ignore'],
  ['§4 icebreaker', icebreaker.answered, 'You answered'],
  ['§4 icebreaker', icebreaker.notices.waiting, 'Waiting response from your chat partner...'],
  ['§4 icebreaker', icebreaker.notices.ignoredByMe, 'You decided to not break the ice'],
  ['§4 icebreaker', icebreaker.notices.ignoredByPartner, 'Your partner decided to not break the ice'],
  ['§4 icebreaker', icebreaker.match.title, 'The ice is broken!'],
  ['§4 icebreaker', icebreaker.match.portuguese, 'O gelo foi quebrado!'],
  ['§4 icebreaker', icebreaker.plotTwist.title, 'Plot twist!'],
  ['§4 icebreaker', icebreaker.ignoredByMe.join(' / '), 'You ignored this game / Game ended'],
  [
    '§4 icebreaker',
    icebreaker.ignoredByPartner.join(' / '),
    'Game cancelled by partner / You can no longer respond',
  ],
  ['§2 modals', profile.settings.title, 'Profile Settings'],
  ['§2 modals', Object.values(profile.settings.tabs).join(', '), 'Profile, Email, Password'],
  ['§2 modals', profile.anonymousWarning.create, 'Create Account'],
  ['§2 modals', friends.requests.title, 'Friend Requests'],
  ['§2 modals', history.title, 'Chat History'],
  ['§2 chat page', app.topBar.requests, 'Friend Requests'],
  ['§2 chat page', app.topBar.history, 'Chat History'],
  ['A167', history.empty, 'No chat history yet'],
  ['§8 placeholder', history.placeholder, 'Unknown User'],
  ['§9 age', history.age.days(3), '3 days ago'],
  ['A64', history.age.days(1), '1 day ago'],
  ['§9 age', history.age.hours(2), '2 hours ago'],
  ['A64', history.age.hours(1), '1 hour ago'],
  ['§9 age', history.age.minutes, 'A few minutes ago'],
  ['A109', chatUi.message.photo, 'Photo'],
  ['A101', chatUi.message.edited, '(edited)'],
  ['§2 modals', profile.anonymousPrompt.title, 'Anonymous Account'],
  ['§2 modals', profile.anonymousPrompt.create, 'Create Account'],
  ['§2 modals', profile.anonymousPrompt.later, 'Maybe Later'],
  ['§2 modals', profile.conversion.title, 'Create Your Account'],
  ['A151', Object.values(profile.account.themes).join(' / '), 'Dark / Light / System'],
  ['A167', friends.requests.empty, 'No pending friend requests'],
  ['§4 save button', profileForms.profile.save.unchanged, 'No changes'],
  ['§4 save button', profileForms.profile.save.loading, 'Saving...'],
  ['§4 save button', profileForms.profile.save.success, 'Saved!'],
  ['§4 save button', profileForms.profile.save.error, 'Error saving'],
  ['§5 password', profileForms.password.confirmPasswordError, 'Passwords do not match'],
  ['§8 placeholder', friends.requests.placeholder(12), 'Utilizador #12'], // Portuguese, as specified
  ['§5', auth.errors.email, 'Invalid email'],
  ['§5', auth.errors.passwordTooShort, 'Password must be at least 6 characters'],
  ['§5', auth.errors.passwordsDiffer, "Passwords don't match"],
];

// The rows become objects, so that the title of a test can name their fields.
it.each(specifiedTexts.map(([section, shown, specified]) => ({ section, shown, specified })))(
  '$section specifies the text: $specified',
  ({ shown, specified }) => {
    expect(shown).toBe(specified);
  },
);

const specifiedToasts: [shown: object, title: string, description: string | undefined][] = [
  [auth.toasts.loginFailed, 'Login error', 'Invalid credentials. Please try again.'],
  [auth.toasts.loggedIn, 'Login successful', 'Welcome back!'],
  [auth.toasts.registrationFailed, 'Registration error', 'Could not create account. Please try again.'],
  [auth.toasts.registered, 'Account created successfully', 'Welcome to Thaw!'],
  [auth.toasts.anonymousFailed, 'Error', 'Could not start anonymous session.'],
  [auth.toasts.anonymousStarted, 'Anonymous session started', 'You are chatting anonymously.'],
  [landing.connectionError, 'Connection Error', 'Could not start anonymous session. Please try again.'],
  [profileForms.profile.avatarFailed, 'Upload error', 'Could not upload image.'],
  [profileForms.profile.avatarTooLarge, 'File too large', 'Image must be no larger than 5MB.'],
  [profileForms.email.requiredFields, 'Required fields', 'Please fill in all fields.'],
  [profileForms.email.failed, 'Error changing email', 'Could not change email. Please check your password.'],
  [profileForms.email.changed, 'Email changed', 'Your email has been changed successfully.'],
  [profileForms.password.requiredFields, 'Required fields', 'Please fill in all fields.'],
  [
    profileForms.password.doNotMatch,
    'Passwords do not match',
    'New password and confirmation must be the same.',
  ],
  [profileForms.password.tooShort, 'Password too short', 'Password must be at least 6 characters long.'],
  [
    profileForms.password.failed,
    'Error changing password',
    'Could not change password. Please check your current password.',
  ],
  [profileForms.password.changed, 'Password changed', undefined],
  [profileForms.conversion.requiredFields, 'Missing fields', 'Please fill in all fields.'],
  [
    profileForms.conversion.doNotMatch,
    "Passwords don't match",
    'Please make sure both passwords are identical.',
  ],
  [profileForms.conversion.tooShort, 'Password too short', 'Password must be at least 6 characters long.'],
  [profileForms.conversion.failed, 'Conversion failed', 'Could not convert account. Please try again.'],
  [profileForms.conversion.converted, 'Account created successfully!', undefined],
  [friends.toasts.answerFailed, 'Error', 'Could not respond to request. Please try again.'],
  [friends.toasts.accepted, 'Request accepted', 'User has been added to your friends.'],
  [friends.toasts.declined, 'Request declined', undefined],
  [friends.toasts.sendFailed, 'Error', 'Could not send friend request.'],
  [friends.toasts.sent, 'Friend request sent', undefined],
];

it.each(specifiedToasts)('the specification (§5, §8) contains the toast: %j', (shown, title, description) => {
  expect(shown).toEqual({ title, description });
});

it('the warning to anonymous users contains: not saved permanently', () => {
  expect(profile.anonymousWarning.lead).toContain('not saved permanently');
});
