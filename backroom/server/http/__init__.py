"""HTTP: the application, its routes and pages, the API for programs, and who may send what."""
