import { Outlet } from '@tanstack/react-router';
import { Suspense } from 'react';
import { texts } from '../i18n/en.ts';
import { usePermissions } from '../session/session-provider.tsx';
import { Loading } from '../ui/loading.tsx';
import { UploadPanel } from '../uploads/upload-panel.tsx';
import { LimitedAccess } from './limited-access.tsx';
import { Navigation } from './navigation.tsx';
import './layout.css';

/** The navigation beside the current page; above it on narrow screens. */
export function Layout() {
  const { mayRead } = usePermissions();
  return (
    <div className="layout">
      <a className="skip" href="#main">
        {texts.layout.skip}
      </a>
      <Navigation />
      <main id="main" tabIndex={-1}>
        <Suspense fallback={<Loading />}>{mayRead ? <Outlet /> : <LimitedAccess />}</Suspense>
      </main>
      {mayRead && <UploadPanel />}
    </div>
  );
}
