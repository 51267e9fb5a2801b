"""Files of any usual kind into documents, with nothing dropped in silence."""

from seedtopic.documents.lookup import find_document
from seedtopic.documents.reader import Documents, read_documents

__all__ = ["Documents", "find_document", "read_documents"]
