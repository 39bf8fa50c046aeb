/** All texts of the sign-in page. testing/specification.spec.ts checks those that the product specification quotes. */
export const copy = {
  login: {
    title: 'Welcome back',
    lead: 'Sign in and pick up where you left off.',
    submit: 'Login',
    pending: 'Signing in...',
    toggleQuestion: 'No account yet?',
    toggle: 'Register',
  },
  register: {
    title: 'Make an account',
    lead: 'So that friends can find you again tomorrow.',
    submit: 'Register',
    pending: 'Creating account...',
    toggleQuestion: 'Already have an account?',
    toggle: 'Login',
  },
  fields: { email: 'Email', password: 'Password', confirmPassword: 'Confirm Password' },
  errors: {
    email: 'Invalid email',
    passwordTooShort: 'Password must be at least 6 characters',
    passwordTooLong: 'Password must be at most 128 characters',
    passwordsDiffer: "Passwords don't match",
  },
  or: 'or',
  anonymous: 'Chat Anonymously',
  starting: 'Starting...',
  back: 'Back',
  panel: {
    line: 'Two people, one conversation, and nothing to prove.',
    note: 'Thaw shows strangers your handle and nothing else.',
  },
  toasts: {
    loggedIn: { title: 'Login successful', description: 'Welcome back!' },
    loginFailed: { title: 'Login error', description: 'Invalid credentials. Please try again.' },
    registered: { title: 'Account created successfully', description: 'Welcome to Thaw!' },
    registrationFailed: {
      title: 'Registration error',
      description: 'Could not create account. Please try again.',
    },
    anonymousStarted: { title: 'Anonymous session started', description: 'You are chatting anonymously.' },
    anonymousFailed: { title: 'Error', description: 'Could not start anonymous session.' },
  },
} as const;
