// Toasts of several forms. The conversion form has its own title for missing fields.
const requiredFields = { title: 'Required fields', description: 'Please fill in all fields.' };
const passwordTooShort = {
  title: 'Password too short',
  description: 'Password must be at least 6 characters long.',
};

/** Texts inside the forms of the profile dialogs, loaded with the forms. */
export const copy = {
  profile: {
    picture: 'Profile picture',
    choosePicture: 'Upload picture',
    changePicture: 'Change picture',
    uploading: 'Uploading...',
    removePicture: 'Remove',
    pictureHint: 'An image of up to 5 MB.',
    username: 'Username',
    usernameHint: 'What strangers and friends see of you.',
    usernameTooLong: 'At most 30 characters',
    save: {
      unchanged: 'No changes',
      idle: 'Save changes',
      loading: 'Saving...',
      success: 'Saved!',
      error: 'Error saving',
    },
    avatarTooLarge: { title: 'File too large', description: 'Image must be no larger than 5MB.' },
    avatarFailed: { title: 'Upload error', description: 'Could not upload image.' },
  },
  device: {
    title: 'On this device',
    sound: 'Sound',
    soundHint: 'When a match is found, or somebody writes while you look elsewhere.',
    searchAtOnce: 'Start searching at once',
    searchAtOnceHint: 'New Conversation looks for the next person without another press.',
  },
  email: {
    current: 'Your email is',
    newEmail: 'New email',
    currentPassword: 'Current password',
    invalid: 'Invalid email',
    submit: 'Change email',
    pending: 'Changing...',
    requiredFields,
    changed: { title: 'Email changed', description: 'Your email has been changed successfully.' },
    failed: {
      title: 'Error changing email',
      description: 'Could not change email. Please check your password.',
    },
  },
  password: {
    lead: 'Changing it signs you out on every other device.',
    currentPassword: 'Current password',
    newPassword: 'New password',
    newPasswordHint: 'At least 6 characters',
    confirmPassword: 'Confirm new password',
    confirmPasswordError: 'Passwords do not match',
    submit: 'Change password',
    pending: 'Changing...',
    requiredFields,
    doNotMatch: {
      title: 'Passwords do not match',
      description: 'New password and confirmation must be the same.',
    },
    tooShort: passwordTooShort,
    changed: { title: 'Password changed' },
    failed: {
      title: 'Error changing password',
      description: 'Could not change password. Please check your current password.',
    },
  },
  conversion: {
    email: 'Email',
    password: 'Password',
    passwordHint: 'At least 6 characters',
    confirmPassword: 'Confirm Password',
    invalidEmail: 'Invalid email',
    submit: 'Create Account',
    pending: 'Creating account...',
    requiredFields: { title: 'Missing fields', description: 'Please fill in all fields.' },
    doNotMatch: {
      title: "Passwords don't match",
      description: 'Please make sure both passwords are identical.',
    },
    tooShort: passwordTooShort,
    converted: { title: 'Account created successfully!' },
    failed: { title: 'Conversion failed', description: 'Could not convert account. Please try again.' },
  },
} as const;
