"""Reading documents from files of all common formats; nothing is dropped silently."""

from seedtopic.documents.lookup import find_document
from seedtopic.documents.reader import Documents, read_documents

__all__ = ["Documents", "find_document", "read_documents"]
