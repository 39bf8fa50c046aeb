import { type SelfUser } from '@thaw/contract/users';
import { LogOut } from 'lucide-react';
import { type ReactNode } from 'react';
import { AnonymousWarning } from '@/features/profile/components/anonymous-warning';
import { DeviceSettings } from '@/features/profile/components/device-settings';
import { EmailForm } from '@/features/profile/components/email-form';
import { PasswordForm } from '@/features/profile/components/password-form';
import { ProfileForm } from '@/features/profile/components/profile-form';
import { copy } from '@/features/profile/copy';
import { Button } from '@/ui/button';
import { TabbedPanels } from '@/ui/tabs';

const { tabs, tabsLabel } = copy.settings;

export interface ProfileSettingsProps {
  user: SelfUser;
  onLogout: () => void;
  /** The section about other people, such as blocked users; another feature provides it. */
  safetySection?: ReactNode;
}

/** Content of the Profile Settings. An anonymous user has neither email nor password to change. */
export const ProfileSettings = ({ user, onLogout, safetySection }: ProfileSettingsProps) => {
  const profileTab = {
    id: 'profile',
    label: tabs.profile,
    content: (
      <>
        {user.isAnonymous ? <AnonymousWarning /> : null}
        <ProfileForm user={user} />
        <DeviceSettings />
        {safetySection}
        <Button variant="outline" className="mt-6 w-full" onClick={onLogout}>
          <LogOut aria-hidden="true" />
          {copy.account.logout}
        </Button>
      </>
    ),
  };
  const accountTabs = [
    { id: 'email', label: tabs.email, content: <EmailForm user={user} /> },
    { id: 'password', label: tabs.password, content: <PasswordForm user={user} /> },
  ];
  return (
    <TabbedPanels label={tabsLabel} tabs={user.isAnonymous ? [profileTab] : [profileTab, ...accountTabs]} />
  );
};
