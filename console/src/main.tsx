/** The console: web pages for owners of designs and for operators. */
import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './api/query-client.ts';
import { router } from './router.tsx';
import { SessionProvider } from './session/session-provider.tsx';
import { ToastProvider } from './ui/toasts.tsx';
import { UploadProvider } from './uploads/upload-provider.tsx';
import './ui/styles.css';

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no element root.');
createRoot(root).render(
  <StrictMode>
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queryClient}>
        <ToastProvider>
          <SessionProvider>
            <UploadProvider>
              <RouterProvider router={router} />
            </UploadProvider>
          </SessionProvider>
        </ToastProvider>
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
);
