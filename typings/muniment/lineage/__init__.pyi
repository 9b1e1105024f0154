from lineage import *
