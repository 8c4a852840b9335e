/** Loads the packages that a service with PostgreSQL and S3 needs, and one with SQLite and a folder does not. */
import '@aws-sdk/client-s3';
import 'pg';
