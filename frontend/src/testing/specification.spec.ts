import { copy as chatUi } from '@/chat-ui/copy';
import { copy as app } from '@/app/copy';
import { copy as auth } from '@/features/auth/copy';
import { copy as landing } from '@/features/landing/copy';
import { copy as profile } from '@/features/profile/copy';
import { copy as randomChat } from '@/features/random-chat/copy';

/** The strings of the product specification, letter by letter, against the texts of the features. */
it.each<[section: string, shown: string, specified: string]>([
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
  ['§5', auth.errors.email, 'Invalid email'],
  ['§5', auth.errors.passwordTooShort, 'Password must be at least 6 characters'],
  ['§5', auth.errors.passwordsDiffer, "Passwords don't match"],
])('%s: %s', (_section, shown, specified) => {
  expect(shown).toBe(specified);
});

it.each([
  [auth.toasts.loginFailed, 'Login error', 'Invalid credentials. Please try again.'],
  [auth.toasts.loggedIn, 'Login successful', 'Welcome back!'],
  [auth.toasts.registrationFailed, 'Registration error', 'Could not create account. Please try again.'],
  [auth.toasts.registered, 'Account created successfully', 'Welcome to Thaw!'],
  [auth.toasts.anonymousFailed, 'Error', 'Could not start anonymous session.'],
  [auth.toasts.anonymousStarted, 'Anonymous session started', 'You are chatting anonymously.'],
  [landing.connectionError, 'Connection Error', 'Could not start anonymous session. Please try again.'],
])('§8: %j', (shown, title, description) => {
  expect(shown).toEqual({ title, description });
});
