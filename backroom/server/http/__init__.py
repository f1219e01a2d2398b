"""HTTP: the application, its routes and pages, the API for programs, security and rate limits."""
