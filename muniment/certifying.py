"""The certificate of an erasure, made when it is asked for: what was looked at then, and nothing more."""

from pathlib import Path

from muniment.claims import InvalidError
from muniment.lineage import (
    Certificate,
    Signer,
    Store,
    certify,
    gone_by,
    search,
    write_file,
)
from muniment.retrieval import Index


def certificate_of(store: Store, signer: Signer, index: Index | None, erasure: str) -> Certificate:
    """Return the certificate of an erasure by its identifier; `index` is the one in use, None where there is none."""
    store.post()  # receipts are looked up in the graph
    gone, headers = gone_by(store, erasure)
    nodes = frozenset((*gone.sources, *gone.claims))
    # The index first, since looking rewrites it; then its files are listed with the rest.
    indexed = _indexed(store, index, nodes)
    searched = search(store, gone).model_copy(update=indexed)
    return certify(store, signer, gone, headers, searched)


def _indexed(store: Store, index: Index | None, nodes: frozenset[int]) -> dict[str, object]:
    """Return what is left of the erased in the index, as the search tells it."""
    if index is None:
        lies = (store.folder / "index.lance").exists()
        said = "it cannot be read" if lies else "there is none"
        return {"index": said, "index_read": not lies}
    try:
        rest = index.rest_of(nodes)
    except (OSError, RuntimeError, ValueError) as error:
        return {"index": f"it cannot be read: {type(error).__name__}", "index_read": False}
    return {
        "index": "rewritten, then every version on disk and the rows in memory read",
        "index_versions": rest.versions,
        "rows_found": rest.rows,
        "index_files": rest.files,
    }


def must_be_new(path: Path, store: Path) -> None:
    """Raise InvalidError where a file to be written is there already or would lie in the store."""
    if path.exists():
        raise InvalidError(f"{path} is there already; name another file")
    if path.resolve().is_relative_to(store.resolve()):
        raise InvalidError(f"{path} lies in the store; keep it elsewhere")
    if not path.parent.is_dir():
        raise InvalidError(f"there is no folder {path.parent}; make it first")


def save(text: str, path: Path, store: Path, *, mode: int = 0o644) -> None:
    """Write a new file whole, outside of the store."""
    must_be_new(path, store)
    write_file(path, text.encode("utf-8"), mode=mode)
