/** The syntax of identifiers as `mintmark/identifier`, for programs that have the service installed. */
export * from '@mintmark/identifier';
