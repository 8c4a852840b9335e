import { Link, useRouterState } from '@tanstack/react-router';
import { useState } from 'react';
import { texts } from '../i18n/en.ts';
import { usePermissions, useSignOut } from '../session/session-provider.tsx';
import { BrandName } from '../ui/brand-name.tsx';
import { Button } from '../ui/button.tsx';

const PAGES = [
  ['/designs', texts.layout.designs],
  ['/embed', texts.layout.embed],
  ['/tokens', texts.layout.tokens],
  ['/page-check', texts.layout.pageCheck],
] as const;

/** The pages of the console, the documentation, and the button to sign out. */
export function Navigation() {
  // The menu closes when the page changes.
  const [openPath, setOpenPath] = useState<string>();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const { mayRead, isOperator } = usePermissions();
  const signOut = useSignOut();
  const isOpen = openPath === path;
  return (
    <header className="sidebar">
      <Link to="/designs" className="home">
        <BrandName />
      </Link>
      <Button
        className="menu-button"
        aria-expanded={isOpen}
        aria-controls="navigation"
        onClick={() => setOpenPath(isOpen ? undefined : path)}
      >
        {texts.layout.menu}
      </Button>
      <nav id="navigation" aria-label={texts.layout.navigation} className={isOpen ? 'open' : ''}>
        <ul>
          {mayRead &&
            PAGES.map(([to, text]) => (
              <li key={to}>
                <Link to={to}>{text}</Link>
              </li>
            ))}
          {mayRead && isOperator && (
            <li>
              <Link to="/operator">{texts.layout.operator}</Link>
            </li>
          )}
        </ul>
        <ul className="secondary">
          {mayRead && (
            <li>
              <Link to="/sessions">{texts.layout.sessions}</Link>
            </li>
          )}
          <li>
            <a href="/docs" target="_blank" rel="noopener">
              {texts.layout.guide}
            </a>
          </li>
          <li>
            <a href="/docs/api" target="_blank" rel="noopener">
              {texts.layout.api}
            </a>
          </li>
          <li>
            <Button variant="link" onClick={signOut}>
              {texts.layout.signOut}
            </Button>
          </li>
        </ul>
      </nav>
    </header>
  );
}
