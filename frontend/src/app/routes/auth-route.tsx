import { chatPart } from '@/app/routes/chat-part';
import { AuthPage } from '@/features/auth/components/auth-page';
import { Consent } from '@/features/legal/consent/consent';

export const AuthRoute = () => <AuthPage consent={<Consent />} prepareChat={chatPart.preload} />;
